//! Text of others: whatever files, programs, revisions and cases are called, a terminal only shows it.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::project::Project;
use crate::support::{Dir, UMBRA};

/// A name that does all that names can do: colours, a title, a line of its own that looks like ours, going
/// back, C1 controls in both encodings, another direction of writing.
const HOSTILE: &[u8] =
    b"x\x1b[31m\x1b]0;title\x07\nFORGED: y\rz\x08\xc2\x9b2J\xe2\x80\xae\xe2\x80\xa8\x7f\x9bq";

/// The same as text, for where only text can be.
const TEXT: &str =
    "x\u{1b}[31m\u{1b}]0;title\u{7}\nFORGED: y\rz\u{8}\u{9b}2J\u{202e}\u{2028}\u{7f}q";

fn hostile() -> OsString {
    OsString::from_vec(HOSTILE.to_vec())
}

/// What is in a stream that a terminal would obey, or that looks like a line of ours.
fn obeyed(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("bytes that are no text".into()) };
    let is_bidi = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    let control = text.chars().find(|&c| (c.is_control() && c != '\n') || is_bidi(c));
    let line = text.lines().find(|line| line.starts_with("FORGED"));
    control.map(|c| format!("{c:?}")).or(line.map(|line| format!("the line {line}")))
}

fn check(what: &str, output: &Output) {
    for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
        if let Some(found) = obeyed(bytes) {
            panic!("{what}: {found} in {name}: {}", bytes.escape_ascii());
        }
    }
    assert!(!output.stdout.is_empty() || !output.stderr.is_empty(), "{what} says nothing");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!said.contains("panicked"), "{what}: {said}");
}

/// Words of a command line; `H` is the hostile name, alone or in a path, and `T` the one that is text.
fn words(line: &str) -> Vec<OsString> {
    let word = |word: &str| {
        let mut bytes = Vec::new();
        for byte in word.bytes() {
            match byte {
                b'H' => bytes.extend_from_slice(HOSTILE),
                b'T' => bytes.extend_from_slice(TEXT.as_bytes()),
                byte => bytes.push(byte),
            }
        }
        OsString::from_vec(bytes)
    };
    line.split(' ').map(word).collect()
}

fn umbra(folder: &Path, line: &str) -> Output {
    Command::new(UMBRA).args(words(line)).current_dir(folder).stdin(Stdio::null()).output().unwrap()
}

/// Arguments that lead nowhere, in every place that takes one.
const WRONG: &[&str] = &[
    "H",
    "--H",
    "run H",
    "run --H x",
    "run ./H.c",
    "run --sym H prog",
    "run --sym file:H=1 prog",
    "run --function H prog",
    "run --case H prog",
    "run --max-time H prog",
    "run --search H prog",
    "run --coverage H/x prog",
    "run --output H/x/y --sym stdin=1 H",
    "run --json H",
    "diff H",
    "diff --complete --function H prog",
    "diff --complete --sym H prog",
    "diff --case H prog",
    "diff --stdin H prog",
    "init --no-try H",
    "build H",
    "build H..H",
    "build --json H",
    "gc --max-size H",
    "case show H",
    "case show store/H",
    "case list H",
    "case diff H H",
    "case export H out",
    "case export good H/x",
    "case import H out",
    "replay H",
    "replay --on H good",
    "replay --on prog H",
    "replay --range H good",
    "replay --also H good",
    "replay --json --on H good",
    "replay --on prog --output H/x --on prog good",
    "record --program H -- true",
    "record --program prog --output H/x/y -- H",
    "record --json --program H -- true",
    "record --revision H",
    "record --H",
    "libc build --source H",
    "libc H",
    "cc --print-H -o",
    "doctor H",
];

/// A folder with a program, a case, a store and a project.
fn prepared() -> Dir {
    let dir = Dir::new();
    dir.write("prog.c", "#include <stdio.h>\nint main(void) { return getchar() == 'x'; }\n");
    dir.cc("prog.c -o prog");
    dir.write("good/case.json", r#"{"schema": "umbra/case/1", "program": "prog"}"#);
    dir.ok(&format!("{UMBRA} record --output store --program prog -- ./prog"));
    dir.ok("git init --quiet . && git -c user.name=t -c user.email=t@localhost commit --quiet --allow-empty -m x");
    dir.write("umbra.toml", "[build]\nconfigure = \"\"\n");
    dir
}

#[test]
fn wrong_arguments_are_only_shown() {
    let dir = prepared();
    let folder = dir.path("");
    for line in WRONG.iter().filter(|line| !line.starts_with("cc ")) {
        check(line, &umbra(&folder, line));
    }
}

/// A case in which everything that can be chosen is hostile.
fn hostile_case() -> String {
    let text = serde_json::to_string(TEXT).unwrap();
    let place = serde_json::json!({"error": {"kind": TEXT, "file": TEXT, "line": 3}});
    format!(
        r#"{{"schema": "umbra/case/1", "program": {text}, "arguments": [{text}, "-b"],
            "environment": [{variable}], "stdin": {{"pipe": {text}}}, "directory": {folder},
            "tree": [{{"path": {folder}, "kind": "directory", "modified": "5"}},
                     {{"path": {link}, "kind": "symlink", "target": {text}}}],
            "objects": [{{"name": {text}, "bytes": {text}}}],
            "expected": {{"end": {place}, "stdout": {text}}},
            "origin": {{{text}: {text}, "test": {text}}}}}"#,
        variable = serde_json::to_string(&format!("V={TEXT}")).unwrap(),
        folder = serde_json::to_string(&format!("d{TEXT}")).unwrap(),
        link = serde_json::to_string(&format!("l{TEXT}")).unwrap(),
    )
}

#[test]
fn cases_are_only_shown() {
    let dir = prepared();
    let folder = dir.path("");
    let case = folder.join(hostile());
    fs::create_dir(&case).unwrap();
    // All at once, then each part alone: what is refused for one part hides the others.
    let whole: serde_json::Value = serde_json::from_str(&hostile_case()).unwrap();
    let mut cases = vec![whole.clone()];
    for (name, value) in whole.as_object().unwrap() {
        let mut part = serde_json::json!({"schema": "umbra/case/1", "program": "prog"});
        part[name] = value.clone();
        cases.push(part);
    }
    let mut part = serde_json::json!({"schema": "umbra/case/1", "program": "prog"});
    part["expected"] = serde_json::json!({"end": {"cut": {"reason": TEXT}}});
    cases.push(part);
    cases.push(serde_json::json!({"schema": TEXT, "program": "prog"}));
    cases.push(serde_json::json!({"schema": "umbra/case/1", "program": "prog", TEXT: TEXT}));
    for value in cases {
        fs::write(case.join("case.json"), value.to_string()).unwrap();
        for line in [
            "case show H",
            "case show --color never H",
            "case list H",
            "case diff good H",
            "case diff H good",
            "replay --on prog H",
            "replay --on prog --on prog H",
            "replay --json --on prog --on prog H",
            "run --case H prog",
            "diff --case H prog",
            "diff --json --case H prog",
        ] {
            let output = umbra(&folder, line);
            for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
                if let Some(found) = obeyed(bytes) {
                    panic!("{line}: {found} in {name}: {}\n{value}", bytes.escape_ascii());
                }
            }
        }
    }
}

/// Two versions that differ, under names that do more than name.
#[test]
fn replays_only_show_what_versions_are_called_and_do() {
    let dir = prepared();
    let folder = dir.path("");
    let print = "#include <stdio.h>\nint main(void) { fputs(\"a\\033[31m\\r\\nFORGED\\302\\233\\342\\200\\256\", stdout);\n\
                 #ifdef NEW\n fputs(\"\\033[2J\\nFORGED: more\\n\", stderr); return 1;\n#endif\n return 0; }\n";
    dir.write("print.c", print);
    dir.ok("cc print.c -o old && cc -DNEW print.c -o new");
    let (old, new) = (folder.join(hostile()), folder.join("new"));
    fs::create_dir(&old).unwrap();
    fs::rename(folder.join("old"), old.join("old")).unwrap();
    fs::rename(&new, old.join("new")).unwrap();
    fs::rename(folder.join("good"), old.join("case")).unwrap();
    let named = serde_json::json!({"schema": "umbra/case/1", "program": TEXT});
    for program in
        [r#"{"schema": "umbra/case/1", "program": "prog"}"#.to_owned(), named.to_string()]
    {
        fs::write(old.join("case/case.json"), program).unwrap();
        for line in [
            "replay --on H/old H/case",
            "replay --on H/old --on H/new H/case",
            "replay --json --on H/old --on H/new H/case",
            "replay --on H/old --on H/new --minimise --output small H/case",
        ] {
            check(line, &umbra(&folder, line));
        }
    }
}

/// Errors, divergences and coverage name files, functions and variables of the program.
#[test]
fn findings_only_show_what_sources_are_called() {
    let dir = Dir::new();
    let folder = dir.path("");
    let escaped: String = TEXT.bytes().map(|byte| format!("\\{byte:03o}")).collect();
    let source = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n#include <umbra.h>\n# 7 \"{escaped}\"\n\
         int main(void) {{ int c = getchar(); char *p = malloc(3);\n if (c == 'x') return p[c];\n\
         return change(c == 'y', c == 'z'); }}\n"
    );
    dir.write("p.c", &source);
    fs::create_dir(folder.join(hostile())).unwrap();
    let out = folder.join(hostile()).join("p");
    let status = Command::new(UMBRA)
        .args(["cc", "p.c", "-o"])
        .arg(&out)
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(status.success());
    for line in [
        "run H/p",
        "run --sym stdin=1 H/p",
        "run --json --sym stdin=1 H/p",
        "run --stats --sym stdin=1 --output H/out H/p",
        "diff --complete --sym stdin=1 H/p",
        "diff --complete --json --sym stdin=1 H/p",
        "run --json H/p",
    ] {
        let output = umbra(&folder, line);
        for (name, bytes) in [("stdout", &output.stdout), ("stderr", &output.stderr)] {
            if let Some(found) = obeyed(bytes) {
                panic!("{line}: {found} in {name}: {}", bytes.escape_ascii());
            }
        }
    }
}

/// What a suite, and what a build, prints is its own; what we say of them is not.
#[test]
fn recordings_only_show_what_programs_are_called() {
    let dir = prepared();
    let folder = dir.path("");
    let inside = folder.join(TEXT);
    fs::create_dir(&inside).unwrap();
    for name in ["p", "p.bc"] {
        fs::copy(dir.path(&name.replacen('p', "prog", 1)), inside.join(name)).unwrap();
    }
    for line in [
        "record --output T/store --program T/p -- T/p H",
        "record --output T/store --program T/p --json -- T/p H",
        "record --output T/store --program T/p -- T/none",
        // It reads from where no case can be made.
        "record --output T/store --program T/p -- sh -c \"$0\"</proc/self/stat T/p",
        "record --output T/store --max-silence 1 --program T/p -- sleep 1000",
        "case list T/store",
        "replay --on T/p T/store",
    ] {
        check(line, &umbra(&folder, line));
    }
}

#[test]
fn builds_only_show_what_compilers_print_and_files_are_called() {
    let project = Project::plain();
    let say = |text: &str| {
        format!("\t@printf '{}'\n", text.bytes().map(|b| format!("\\{b:03o}")).collect::<String>())
    };
    let failing = format!("all:\n{}\t@exit 1\n", say(&format!("error: {TEXT}\\n")));
    project.write("Makefile", &failing);
    project.commit("fails");
    check("build fails", &project.output("build fails"));
    check("build --json fails", &project.output("build --json fails"));
    // A program, a submodule's folder and a tag with such names; git refuses control characters in tags.
    let name = String::from_utf8_lossy(HOSTILE).replace('\u{fffd}', "");
    let folder = project.dir.path("repo").join(&name);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("p.c"), "int main(void) { return 0; }\n").unwrap();
    project.write(
        "Makefile",
        "CC = cc\nall:\n\tfor d in */p.c; do $(CC) -o \"$$d.exe\" \"$$d\"; done\n",
    );
    project.commit("named");
    check("build named", &project.output("build named"));
    check("build --json named", &project.output("build --json named"));
    project
        .dir
        .ok("cd repo && for f in */p.c; do echo 'int x;' >> \"$f\"; done && echo >> Makefile");
    check("build .", &project.output("build ."));
    let mut manifest = fs::read_to_string(project.dir.path("repo/umbra.toml")).unwrap();
    manifest += &format!("\n[\"{}\"]\n", TEXT.replace('\n', "\\n").escape_default());
    project.write("umbra.toml", &manifest);
    check("a manifest", &project.output("build named"));
}

/// There is one way out, and names have one way into it.
#[test]
fn nothing_is_printed_by_another_way() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut found: BTreeMap<PathBuf, &str> = BTreeMap::new();
    let only_here = |path: &Path, allowed: &[&str]| {
        path.starts_with(crates.join("umbra/src")) && !allowed.iter().any(|end| path.ends_with(end))
    };
    for name in [
        "umbra",
        "umbra-project",
        "umbra-case",
        "umbra-compare",
        "umbra-jobs",
        "umbra-record",
        "umbra-replay",
        "umbra-report",
    ] {
        for path in sources(&crates.join(name).join("src")) {
            // What runs inside of the sandbox reports to who asks.
            if path.to_string_lossy().contains("/inside/") {
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]\nmod tests").next().unwrap();
            if text.contains(".display()") {
                found.insert(path.clone(), ".display(): use umbra_text::Show");
            }
            let prints = ["println!(", "print!(", "eprintln!(", "eprint!("];
            if only_here(&path, &[]) && prints.iter().any(|print| text.contains(print)) {
                found.insert(path.clone(), "print: use say! or tell!");
            }
            // `host.rs` is what the program under test writes, `load.rs` is no text.
            let streams = ["out.rs", "host.rs", "terminal.rs", "load.rs"];
            if only_here(&path, &streams)
                && ["stdout()", "stderr()"]
                    .iter()
                    .any(|stream| text.replace("use_stderr()", "").contains(stream))
            {
                found.insert(path, "a stream: use out.rs");
            }
        }
    }
    assert!(found.is_empty(), "{found:#?}");
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            found.push(path);
        }
    }
    found
}
