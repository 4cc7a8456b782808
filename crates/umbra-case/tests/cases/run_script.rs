//! What `run.sh` does, in each shell: the program must see what the case says, byte for byte.
//!
//! The probe is a script that shows its own command line and environment as the kernel has them.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use umbra_case::{
    Access, Case, Descriptor, Device, Entry, Object, Resource, Settings, Stdin, Timestamp,
};

use crate::generator;

const SHELLS: [&str; 2] = ["dash", "bash"];

/// A folder with a case in it, and a program made of a shell script.
struct Setup {
    folder: tempfile::TempDir,
}

impl Setup {
    fn new(case: &Case, program: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        case.write(&folder.path().join("the case")).unwrap();
        let path = folder.path().join("program");
        fs::write(&path, format!("#!/bin/sh\n{program}")).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
        Self { folder }
    }

    fn program(&self) -> PathBuf {
        self.folder.path().join("program")
    }

    fn command(&self, shell: &str, program: &Path) -> Command {
        let mut command = Command::new(shell);
        let temporary = self.folder.path().join("tmp");
        fs::create_dir_all(&temporary).unwrap();
        command.arg(self.folder.path().join("the case/run.sh")).arg(program);
        command.env("TMPDIR", temporary).env("LEAK", "1");
        command
    }

    /// Runs the case; nothing temporary may be left.
    fn run(&self, shell: &str, program: &Path) -> Output {
        let output = self.command(shell, program).output().unwrap();
        let left = fs::read_dir(self.folder.path().join("tmp")).unwrap().count();
        assert_eq!(left, 0, "{shell} leaves files behind");
        output
    }
}

/// What a program that is a script writes, in every shell.
fn outputs(case: &Case, program: &str) -> Vec<(String, Output)> {
    let setup = Setup::new(case, program);
    let run = |shell: &&str| (shell.to_string(), setup.run(shell, &setup.program()));
    SHELLS.iter().map(run).collect()
}

fn check(case: &Case, program: &str, expected: &str) {
    for (shell, output) in outputs(case, program) {
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{shell}: {output:?}");
        assert_eq!((output.status.code(), &*output.stderr), (Some(0), &b""[..]), "{shell}");
    }
}

/// Checks arguments and environment against what the kernel says.
fn check_words(case: &Case) {
    let setup = Setup::new(case, "cat /proc/$$/cmdline; printf 'E\\n'; cat /proc/$$/environ\n");
    for shell in SHELLS {
        let mut expected: Vec<&[u8]> = vec![b"/bin/sh"];
        let program = setup.program();
        expected.push(program.as_os_str().as_bytes());
        expected.extend(case.arguments.iter().map(|argument| &**argument));
        let mut expected: Vec<u8> =
            expected.iter().flat_map(|word| [word, &b"\0"[..]].concat()).collect();
        expected.extend(b"E\n");
        expected.extend(case.environment.iter().flat_map(|word| [word, &b"\0"[..]].concat()));
        let output = setup.run(shell, &program);
        assert!(
            output.stdout == expected,
            "{shell}\n{}\n{}\n{}",
            output.stdout.escape_ascii(),
            expected.escape_ascii(),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn every_byte_arrives() {
    let all: Vec<u8> = (1..=255).collect();
    let single = (1..=255).map(|byte| vec![byte]);
    let pairs = (1..=255).map(|byte| vec![byte, b'\n']);
    let case = Case {
        arguments: [all.clone(), vec![]].into_iter().chain(single).chain(pairs).collect(),
        environment: vec![
            [b"ALL=", &*all].concat(),
            b"EMPTY=".to_vec(),
            b"-i=--".to_vec(),
            b"PERL5OPT=-v".to_vec(),
            b"LC_ALL=none".to_vec(),
        ],
        ..Case::default()
    };
    check_words(&case);
}

#[test]
fn random_words_arrive() {
    for seed in 0..40 {
        let mut case = generator::case(seed);
        // Of two variables with one name the last is passed on.
        let mut names = std::collections::BTreeSet::new();
        let name =
            |variable: &[u8]| variable.split(|byte| *byte == b'=').next().map(<[u8]>::to_vec);
        case.environment.retain(|variable| names.insert(name(variable)));
        case.settings = Settings::default();
        case.objects.clear();
        case.descriptors.clear();
        check_words(&case);
    }
}

#[test]
fn the_program_is_called_by_the_name_in_the_case() {
    for name in ["cut", "-", "./a b/it's", ""] {
        let case = Case {
            program: name.into(),
            arguments: vec![b"/proc/self/cmdline".to_vec()],
            ..Case::default()
        };
        let setup = Setup::new(&case, "");
        for shell in SHELLS {
            let output = setup.run(shell, Path::new("/bin/cat"));
            let expected = format!("{name}\0/proc/self/cmdline\0");
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{shell}: {output:?}");
        }
    }
}

/// Links to all the tools that the script uses.
fn tools(folder: &Path) {
    fs::create_dir(folder).unwrap();
    for tool in ["cat", "chmod", "cp", "dirname", "env", "mktemp", "mkdir", "rm", "true", "sh"] {
        let found = ["/usr/bin", "/bin"].map(|at| Path::new(at).join(tool));
        symlink(found.iter().find(|path| path.exists()).unwrap(), folder.join(tool)).unwrap();
    }
}

#[test]
fn other_ways_to_set_the_name_work() {
    let case = Case {
        program: b"the name".to_vec(),
        arguments: vec![b"/proc/self/cmdline".to_vec()],
        ..Case::default()
    };
    let setup = Setup::new(&case, "");
    let path = setup.folder.path().join("tools");
    tools(&path);
    let name = |shell: &str| {
        let mut command = setup.command(&format!("/bin/{shell}"), Path::new("/bin/cat"));
        let output = command.env("PATH", &path).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().split('\0').next().unwrap().to_owned()
    };
    let supported = Command::new("env").args(["--argv0=x", "true"]).output().unwrap();
    let plain = if supported.status.success() { "the name" } else { "/bin/cat" };
    for shell in SHELLS {
        assert_eq!(name(shell), plain, "{shell}, without perl");
    }
    // A stand-in for the env of coreutils 9.5, which takes --argv0.
    fs::remove_file(path.join("env")).unwrap();
    let text = "#!/bin/bash\nfor word; do case $word in --argv0=*) name=${word#*=} ;; esac; done\n\
        while [ \"$1\" != -- ] && [ \"$1\" != true ]; do shift; done\n\
        [ \"$1\" = true ] && exit\nshift\nexec -a \"$name\" \"$@\"\n";
    fs::write(path.join("env"), text).unwrap();
    fs::set_permissions(path.join("env"), fs::Permissions::from_mode(0o755)).unwrap();
    for shell in SHELLS {
        assert_eq!(name(shell), "the name", "{shell}, by env");
    }
}

#[test]
fn standard_input_is_what_the_case_says() {
    let bytes = b"one\0two\n\n".to_vec();
    let show = "readlink /proc/$$/fd/0 | sed 's/[:].*//; s/.*the case/file/'; cat | od -An -c\n";
    let content = "   o   n   e  \\0   t   w   o  \\n  \\n\n";
    for (stdin, expected) in [
        (Stdin::Null, "/dev/null\n".to_owned()),
        (Stdin::Pipe(bytes.clone()), format!("pipe\n{content}")),
        (Stdin::File(bytes), format!("file/stdin\n{content}")),
        (Stdin::Pipe(Vec::new()), "pipe\n".to_owned()),
    ] {
        check(&Case { stdin, ..Case::default() }, show, &expected);
    }
    // A shell would open something in its place.
    let arguments = vec![b"/proc/self/fd/0".to_vec()];
    let setup = Setup::new(&Case { stdin: Stdin::Closed, arguments, ..Case::default() }, "");
    for shell in SHELLS {
        let output = setup.run(shell, Path::new("/bin/readlink"));
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{shell}");
    }
}

#[test]
fn descriptors_are_what_the_case_says() {
    let file = |path: &str, offset, access, append| Descriptor::File {
        path: path.into(),
        offset,
        access,
        append,
    };
    let case = Case {
        directory: b"sub".to_vec(),
        tree: vec![Entry::file("sub/in", "0123456789"), Entry::file("out", "abcdef")],
        descriptors: BTreeMap::from([
            (0, file("sub/in", 4, Access::Read, false)),
            (2, Descriptor::Same(1)),
            (3, Descriptor::Pipe(b"from a pipe\n".to_vec())),
            (4, file("out", 0, Access::Write, true)),
            (5, file("out", 2, Access::Both, false)),
            (6, Descriptor::Null),
            (7, Descriptor::Device { device: Device::Full, access: Access::Write }),
            (8, Descriptor::Device { device: Device::Zero, access: Access::Read }),
        ]),
        ..Case::default()
    };
    let program = "head -c 3; cat <&3; printf +++ >&4; printf XY >&5; head -c 1 <&5; cat <&6\n\
        echo; echo error >&2; cat ../out; echo; basename \"$PWD\"\n\
        echo x 2>/dev/null >&7 || echo full; head -c 3 <&8 | tr '\\0' 0\n";
    check(&case, program, "456from a pipe\ne\nerror\nabXYef+++\nsub\nfull\n000");
    let closed = Case {
        arguments: vec![b"/proc/self/fd/1".to_vec()],
        descriptors: BTreeMap::from([(1, Descriptor::Closed)]),
        ..Case::default()
    };
    let setup = Setup::new(&closed, "");
    for shell in SHELLS {
        let output = setup.run(shell, Path::new("/bin/readlink"));
        assert_eq!((output.status.code(), &*output.stdout), (Some(1), &b""[..]), "{shell}");
    }
}

#[test]
fn what_the_script_cannot_do_is_said() {
    let case = Case {
        root: Some(b"/no/such/place".to_vec()),
        descriptors: BTreeMap::from([(3, Descriptor::Terminal), (12, Descriptor::Null)]),
        ..Case::default()
    };
    for (shell, output) in outputs(&case, "exit 0\n") {
        let text = String::from_utf8_lossy(&output.stderr);
        let said = ["paths below /no/such/place lead to the host", "descriptor 3", "descriptor 12"];
        for what in said {
            assert!(text.contains(what), "{shell}: {text}");
        }
        assert_eq!(output.status.code(), Some(0), "{shell}");
    }
}

#[test]
fn no_other_descriptor_is_passed_on() {
    let case = Case { arguments: vec![b"/proc/self/fd".to_vec()], ..Case::default() };
    let setup = Setup::new(&case, "");
    let direct = Command::new("/bin/ls").arg("/proc/self/fd").output().unwrap();
    for shell in SHELLS {
        let output = setup.run(shell, Path::new("/bin/ls"));
        assert_eq!(output.stdout, direct.stdout, "{shell}: {output:?}");
    }
}

#[test]
fn the_tree_is_made_with_modes_and_times() {
    let time = |seconds| Some(Timestamp { seconds, nanoseconds: 250_000_000 });
    let case = Case {
        tree: vec![
            Entry { mode: 0o500, modified: time(1), ..Entry::directory("d") },
            Entry { mode: 0o4711, modified: time(2), ..Entry::file("d/x", "content") },
            Entry { mode: 0, modified: time(3), ..Entry::file(*b"\xff\n", "") },
            Entry { modified: time(-3), ..Entry::symlink("l", "d/x") },
            Entry { mode: 0o620, modified: time(4), ..Entry::fifo("p") },
            Entry::directory("empty"),
            Entry { mode: 0o700, modified: time(5), ..Entry::directory(".") },
        ],
        ..Case::default()
    };
    let show = "stat -c '%A %.2Y %N' . d d/x empty l p ?? | LC_ALL=C cat -v; cat l\n";
    let check = |setup: &Setup| {
        for shell in SHELLS {
            let output = setup.run(shell, &setup.program());
            let text = String::from_utf8_lossy(&output.stdout).into_owned();
            // The one time that the case does not say.
            let lines: Vec<&str> = text.lines().filter(|line| !line.contains("empty")).collect();
            let expected = [
                "drwx------ 5.25 '.'",
                "dr-x------ 1.25 'd'",
                "-rws--x--x 2.25 'd/x'",
                "lrwxrwxrwx -2.75 'l' -> 'd/x'",
                "prw--w---- 4.25 'p'",
                "---------- 3.25 ''$'\\377\\n'",
                "content",
            ];
            assert_eq!(lines, expected, "{shell}: {output:?}");
            assert!(text.contains("drwxr-xr-x"), "{text}");
        }
    };
    let setup = Setup::new(&case, show);
    check(&setup);
    // What version control does not keep is made again.
    let files = setup.folder.path().join("the case/files");
    fs::remove_dir(files.join("empty")).unwrap();
    fs::remove_file(files.join("p")).unwrap();
    fs::set_permissions(files.join("d/x"), fs::Permissions::from_mode(0o644)).unwrap();
    check(&setup);
    assert!(fs::read(files.join("d/x")).is_ok(), "the case itself is as it was");
}

#[test]
fn settings_reach_the_program() {
    let settings = Settings {
        umask: 0o051,
        limits: [(Resource::OpenFiles, Some(40)), (Resource::FileSize, Some(12345))].into(),
        ignored_signals: [1, 13].into(),
        ..Settings::default()
    };
    let program = "umask; grep SigIgn /proc/$$/status
        grep -E 'Max (open files|file size)' /proc/$$/limits | tr -s ' '\n";
    // Some may be ignored by whatever runs the tests.
    let direct = Command::new("grep").args(["SigIgn", "/proc/self/status"]).output().unwrap();
    let direct = String::from_utf8(direct.stdout).unwrap();
    let inherited = u64::from_str_radix(direct["SigIgn:\t".len()..].trim(), 16).unwrap();
    let mask = inherited | 1 | 1 << 12;
    let expected = format!(
        "0051\nSigIgn:\t{mask:016x}\n\
         Max file size 12345 12345 bytes \nMax open files 40 40 files \n"
    );
    check(&Case { settings, ..Case::default() }, program, &expected);
}

#[test]
fn the_exit_status_is_the_programs() {
    for (program, status) in
        [("exit 7\n", 7), ("kill -SEGV $$\n", 139), ("kill -KILL $$\n", 137), ("exit 255\n", 255)]
    {
        for stdin in [Stdin::Null, Stdin::Pipe(vec![b'x'; 100_000])] {
            let case = Case { stdin, ..Case::default() };
            for (shell, output) in outputs(&case, &format!("echo error >&2\n{program}")) {
                assert_eq!(output.status.code(), Some(status), "{shell}");
                assert_eq!(String::from_utf8_lossy(&output.stderr), "error\n", "{shell}");
            }
        }
    }
}

#[test]
fn objects_are_announced_to_klees_library() {
    let objects = vec![Object { name: b"x".to_vec(), bytes: vec![1] }];
    let case = Case { objects, ..Case::default() };
    check(&case, "od -An -c \"$KTEST_FILE\" | head -n 1 | cut -c 1-20\n", "   K   T   E   S   T\n");
}

#[test]
fn wrong_use_is_explained() {
    let setup = Setup::new(&Case::default(), "exit 0");
    for shell in SHELLS {
        let output = setup.run(shell, Path::new("/nowhere"));
        assert_eq!(output.status.code(), Some(2));
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(text, "run.sh: /nowhere is not an executable file\n");
        let output = setup.command(shell, &setup.program()).arg("more").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{output:?}");
    }
}
