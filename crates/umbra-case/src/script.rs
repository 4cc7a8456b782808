//! `run.sh`: the case as a script for any POSIX shell.
//!
//! It needs a shell, coreutils, and, where the case limits resources, prlimit(1). The program's own
//! name is set by env(1) where that can (coreutils 9.5), else by perl; without either the program is
//! called by its path, the one thing in which it may then differ from the case.
//!
//! Of two variables with one name only the last reaches the program. The tree is a copy at a place
//! of its own, so absolute paths into the case's root lead elsewhere: the script says so, as it does
//! for a descriptor that no shell can make.

use std::fmt::Write;

use crate::shell::{Word, word};
use crate::{Access, Case, Descriptor, Entry, EntryKind, Stdin};
use umbra_words::End;

/// The script of a case.
pub fn script(case: &Case) -> String {
    let mut script = Script(String::new());
    script.header(case);
    script.tree(&case.tree);
    script.place(case);
    script.command(case);
    script.launch(case);
    script.0
}

const USAGE: &str = r#"set -u
# Bytes are bytes, whatever the user's language. The program does not see this.
LC_ALL=C
export LC_ALL

fail() {
    echo "run.sh: $1" >&2
    exit 2
}

[ $# -eq 1 ] || fail 'usage: run.sh PROGRAM (the path of an executable)'
folder=$(cd "$(dirname "$0")" && pwd) || fail "cannot find the folder of $0"
case $1 in
/*) program=$1 ;;
*) program=$(pwd)/$1 ;;
esac
if ! [ -f "$program" ] || ! [ -x "$program" ]; then
    fail "$1 is not an executable file"
fi
case $program in
*=*) fail "cannot run a program with = in its path: $program" ;;
esac

# The working directory is a new folder, removed at the end.
temporary=$(mktemp -d) || fail 'cannot make a temporary folder'
trap 'chmod -R u+rwx "$temporary"; rm -rf "$temporary"' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM
mkdir "$temporary/work"
cd "$temporary/work" || fail "cannot enter $temporary/work"
"#;

/// Starts the command with what sets variables and the program's name. The variables and, unless
/// perl has it, the program follow. Perl opens descriptor 0 if it is closed.
const LAUNCHER: &str = r#"perl=
if env --argv0=name true 2>/dev/null; then
    set -- "$@" env -i "--argv0=$name" --
elif perl=$(command -v perl); then
    set -- "$@" "$perl" -e '
        my ($stdin, $file, $name, $count) = splice @ARGV, 0, 4;
        %ENV = ();
        for (splice @ARGV, 0, $count) {
            my ($key, $value) = split /=/, $_, 2;
            $ENV{$key} = $value;
        }
        close STDIN if $stdin eq "closed";
        exec { $file } $name, @ARGV;
        exit 127' "$stdin" "$program" "$name" "$count"
else
    set -- "$@" env -i --
fi
"#;

struct Script(String);

impl Script {
    fn line(&mut self, line: &str) {
        self.0 += line;
        self.0 += "\n";
    }

    /// A command with some bytes as its last word.
    fn with_word(&mut self, command: &str, Word { before, word }: Word) {
        let _ = writeln!(self.0, "{before}{command}{word}");
    }

    fn header(&mut self, case: &Case) {
        self.line("#!/bin/sh");
        let _ = writeln!(self.0, "# Test case {}, made by Umbra.", case.id().short());
        self.line("#");
        self.line("#     ./run.sh PROGRAM");
        self.line("#");
        self.line(
            "# runs PROGRAM as case.json says and exits with its status (128 and the signal's",
        );
        self.line("# number if it is killed). PROGRAM is not confined: think before you run rm.");
        if let Some(end) = &case.expected.end {
            let _ = writeln!(self.0, "#\n# Predicted: {}.", describe(end));
        }
        self.line("");
        self.line("# What is quoted is data, and signals have numbers.");
        self.line("# shellcheck disable=SC1003,SC2016,SC2172");
        self.0 += USAGE;
    }

    /// Copies the tree and completes it: version control keeps neither modes nor times, empty
    /// folders or pipes. Children come before their folders, which may not let anyone in.
    fn tree(&mut self, tree: &[Entry]) {
        if tree.is_empty() {
            return;
        }
        let mut sorted: Vec<&Entry> = tree.iter().collect();
        sorted.sort_by(|one, other| one.path.cmp(&other.path));
        self.line("\n# The tree.");
        self.line("if [ -d \"$folder/files\" ]; then");
        self.line("    cp -pPR \"$folder/files/.\" . || fail 'cannot copy the tree'");
        self.line("fi");
        for entry in &sorted {
            match entry.kind {
                EntryKind::Directory => self.with_word("mkdir -p ", word("./", &entry.path)),
                EntryKind::Fifo => {
                    let Word { before, word } = word("./", &entry.path);
                    let _ = writeln!(self.0, "{before}[ -p {word} ] || mkfifo {word}");
                }
                EntryKind::File(_) | EntryKind::Symlink(_) => {}
            }
        }
        for entry in sorted.iter().rev() {
            if let Some(time) = entry.modified {
                self.with_word(&format!("touch -h -d @{time} "), word("./", &entry.path));
            }
            if !matches!(entry.kind, EntryKind::Symlink(_)) {
                self.with_word(&format!("chmod {:04o} ", entry.mode), word("./", &entry.path));
            }
        }
    }

    /// Enters the working directory.
    fn place(&mut self, case: &Case) {
        if case.directory == b"/" {
            self.line("echo 'run.sh: the case runs in /; this stays in its tree' >&2");
        } else if !case.directory.is_empty() {
            let Word { before, word } = word("./", &case.directory);
            let _ = writeln!(
                self.0,
                "{before}mkdir -p {word}\ncd {word} || fail 'cannot enter the working directory'"
            );
        }
        if let Some(root) = &case.root {
            let Word { before, word } = word("", root);
            let _ = writeln!(
                self.0,
                "{before}printf 'run.sh: paths below %s lead to the host, not to the tree of the \
                 case\\n' {word} >&2"
            );
        }
    }

    /// Collects the whole command line as the script's own arguments.
    fn command(&mut self, case: &Case) {
        self.line("\n# The command.");
        let Word { before, word: name } = word("", &case.program);
        let stdin = if case.stdin == Stdin::Closed { "closed" } else { "open" };
        let added = [!case.objects.is_empty(), case.call.is_some()];
        let added = added.into_iter().filter(|is_added| *is_added).count();
        let count = case.environment.len() + added;
        let _ = writeln!(self.0, "{before}name={name}\nstdin={stdin}\ncount={count}");
        self.0 += "set --";
        if !case.settings.limits.is_empty() {
            self.0 += " prlimit";
            for (resource, value) in &case.settings.limits {
                let value = value.map_or("unlimited".to_owned(), |value| value.to_string());
                let _ = write!(self.0, " --{}={value}:{value}", resource.name());
            }
        }
        self.line("");
        self.0 += LAUNCHER;
        for variable in &case.environment {
            self.with_word("set -- \"$@\" ", word("", variable));
        }
        if !case.objects.is_empty() {
            self.line("set -- \"$@\" \"KTEST_FILE=$folder/objects.ktest\"");
        }
        if let Some(call) = &case.call {
            self.with_word("set -- \"$@\" ", word("", &call.variable()));
        }
        self.line("[ -n \"$perl\" ] || set -- \"$@\" \"$program\"");
        for argument in &case.arguments {
            self.with_word("set -- \"$@\" ", word("", argument));
        }
    }

    /// Runs the command. What the shell itself says of a program that was killed is dropped, so
    /// standard error is the program's alone.
    fn launch(&mut self, case: &Case) {
        let settings = &case.settings;
        self.line("");
        for (flag, who, wanted) in [("u", "user", settings.user), ("g", "group", settings.group)] {
            if let Some(wanted) = wanted {
                let _ = writeln!(
                    self.0,
                    "[ \"$(id -{flag})\" = {wanted} ] || \
                     echo 'run.sh: this case is for {who} {wanted}' >&2"
                );
            }
        }
        self.line("run() {");
        let _ = writeln!(self.0, "    umask {:04o}", settings.umask);
        for signal in &settings.ignored_signals {
            let _ = writeln!(self.0, "    trap '' {signal}");
        }
        self.line("    exec 2>&9 9>&-");
        for (number, descriptor) in &case.descriptors {
            self.descriptor(*number, descriptor);
        }
        self.line("    exec \"$@\"");
        self.line("}");
        self.line("{");
        self.line(match case.stdin {
            _ if case.descriptors.contains_key(&0) => "    (run \"$@\")",
            Stdin::Null => "    (run \"$@\") </dev/null",
            Stdin::Closed => "    (run \"$@\") <&-",
            Stdin::Pipe(_) => "    # shellcheck disable=SC2002 # It is to be a pipe.\n    cat \"$folder/stdin\" | (run \"$@\")",
            Stdin::File(_) => "    (run \"$@\") <\"$folder/stdin\"",
        });
        self.line("    status=$?");
        self.line("} 9>&2 2>/dev/null");
        self.line("exit \"$status\"");
    }

    /// Connects a descriptor. Shells have single digits only, and 9 is the script's own.
    fn descriptor(&mut self, number: u32, descriptor: &Descriptor) {
        let is_output = matches!(number, 1 | 2);
        match descriptor {
            _ if number > 8 => self.lacks(number),
            Descriptor::Terminal => self.lacks(number),
            Descriptor::Closed => self.line(&format!("    exec {number}>&-")),
            Descriptor::Null => self.line(&format!("    exec {number}<>/dev/null")),
            Descriptor::Device { device, access } => {
                let operator = match access {
                    Access::Read => "<",
                    Access::Write => ">",
                    Access::Both => "<>",
                };
                self.line(&format!("    exec {number}{operator}{}", device.path()));
            }
            Descriptor::Same(other) => self.line(&format!("    exec {number}>&{other}")),
            Descriptor::Pipe(_) if is_output => {}
            Descriptor::Pipe(_) => {
                let pipe = format!("\"$temporary/pipe{number}\"");
                self.line(&format!("    mkfifo {pipe}"));
                self.line(&format!("    cat \"$folder/descriptors/{number}\" >{pipe} &"));
                self.line(&format!("    exec {number}<{pipe}"));
            }
            Descriptor::File { path, offset, access, append } => {
                let Word { before, word } = word("", path);
                let operator = match (append, access) {
                    (true, _) => ">>",
                    (false, Access::Read) => "<",
                    // A plain > would empty the file.
                    (false, Access::Write | Access::Both) => "<>",
                };
                let _ = writeln!(
                    self.0,
                    "{before}    exec {number}{operator}\"$temporary\"/work/{word}"
                );
                if *offset > 0 && !append {
                    self.line(&format!("    dd bs={offset} count=1 <&{number} >/dev/null 2>&1"));
                }
            }
        }
    }

    fn lacks(&mut self, number: u32) {
        self.line(&format!("    echo 'run.sh: cannot make descriptor {number}' >&2"));
    }
}

/// The end in a few words, on one line.
fn describe(end: &End) -> String {
    match end {
        End::Exited(status) => format!("exit status {status}"),
        End::Killed(signal) => format!("killed by signal {signal}"),
        End::Hung => "does not end".to_owned(),
        End::OverLimit(limit) => format!("stopped at the {limit} limit"),
        End::Error(error) => {
            let place = format!("{}:{}", error.place.file.escape_debug(), error.place.line);
            format!("{} at {place}", error.kind.escape_debug())
        }
        End::Cut { reason } => format!("not known, stopped: {}", reason.escape_debug()),
    }
}
