//! `umbra init` on small projects: one for each build system and for each thing that it mends.

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use super::Project;

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/projects/init");

/// How many are tried at a time: each waits for compilers most of the time.
const AT_A_TIME: usize = 2;

#[test]
fn what_init_writes_was_tried() {
    let entries = fs::read_dir(FOLDER).unwrap().map(|entry| entry.unwrap().path());
    let mut folders: Vec<_> = entries.filter(|path| path.is_dir()).collect();
    folders.sort();
    assert!(folders.len() > 15, "{folders:?}");
    let left = Mutex::new(folders);
    let wrong = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                loop {
                    let Some(folder) = left.lock().unwrap().pop() else { return };
                    let problems = tried(&folder);
                    wrong.lock().unwrap().extend(problems);
                }
            });
        }
    });
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is unlike the expectations of one project.
fn tried(folder: &Path) -> Option<String> {
    let project = Project::empty();
    project.dir.ok(&format!("cp -r {}/source/. repo", folder.display()));
    project.commit("first");
    let before = project.git("status --porcelain --ignored");
    let output = project.output("init");
    let said =
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
    let toml = fs::read_to_string(project.dir.path("repo/umbra.toml")).unwrap_or_default();
    let mut problems = Vec::new();
    for line in fs::read_to_string(folder.join("expected")).unwrap().lines() {
        let is_true = match line.split_once(' ') {
            Some(("exit", status)) => output.status.code() == status.parse().ok(),
            Some(("toml", text)) => toml.contains(text),
            _ => said.contains(line),
        };
        if !is_true {
            problems.push(line.to_owned());
        }
    }
    // Trying is private: but for the file, the checkout is as it was.
    let after = project.git("status --porcelain --ignored");
    if after.replace("?? umbra.toml\n", "") != before {
        problems.push(format!("the checkout has changed: {after}"));
    }
    let name = folder.file_name().unwrap().to_string_lossy().into_owned();
    (!problems.is_empty()).then(|| format!("{name}: {}\n{said}\n{toml}", problems.join("; ")))
}

/// What a new user does next works with the file that was written.
#[test]
fn from_init_to_replay_without_an_edit() {
    let project = Project::empty();
    let source = Path::new(FOLDER).join("make-relink/source");
    project.dir.ok(&format!("cp -r {}/. repo", source.display()));
    project.commit("old");
    project.write(
        "half.c",
        "#include \"half.h\"\n\nint half(int number) {\n    return (number + 1) / 2;\n}\n",
    );
    project.commit("new");
    project.umbra("init");
    let (text, _) = project.umbra("record --revision old");
    assert!(text.contains("1 recorded"), "{text}");
    // The test program is the library's: it passes on the old version only.
    let output = project.output("replay --range old..new");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("output-difference in half at half.c:4 (half), 1 case"), "{text}");
    assert!(text.contains("2 of 2 changed lines were run"), "{text}");
}

#[test]
fn a_submodule_that_is_not_there_is_named() {
    let project = Project::empty();
    project.write("Makefile", "count: part/count.c\n\t$(CC) -o count part/count.c\n");
    project.write(".gitmodules", "[submodule \"part\"]\n\tpath = part\n\turl = ../part\n");
    project.git("add --all");
    let commit = "0123456789abcdef0123456789abcdef01234567";
    project.git(&format!("update-index --add --cacheinfo 160000,{commit},part"));
    project.git("commit --quiet -m first");
    // As a clone leaves it.
    project.dir.ok("mkdir -p repo/part");
    let output = project.output("init");
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{text}");
    assert!(text.contains("missing: the submodule part (`git submodule update --init`)"), "{text}");
}
