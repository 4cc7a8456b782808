//! Builds of revisions: what comes out, when it is made anew, what is said.

use std::fs;
use std::process::{Command, Output};

use umbra_project::{
    Builder, Cache, Flavour, Manifest, Repository, Revision, Toolchain, Tools, WorkTree,
};

use super::{ONE, Project, contents, executable};
use crate::support::UMBRA;

#[test]
fn two_revisions() {
    let project = Project::plain();
    let (old, _) = project.build("old");
    let (new, _) = project.build("new");
    assert_eq!(Project::run(&old, "one"), ("one 1 word\n".into(), Some(0)));
    assert_eq!(Project::run(&new, "one"), ("one 2 word\n".into(), Some(0)));
    assert_eq!(Project::run(&new, "sub/two"), (String::new(), Some(2)));
    for build in [&old, &new] {
        assert_eq!(build["programs"].as_array().unwrap().len(), 2, "tests do not count");
        let program = build["programs"][1].clone();
        assert_eq!((&program["name"], &program["path"]), (&"two".into(), &"sub/two".into()));
        let bitcode = fs::read(program["bitcode"].as_str().unwrap()).unwrap();
        assert!(bitcode.starts_with(b"BC\xc0\xde"));
        let log = fs::read_to_string(build["log"].as_str().unwrap()).unwrap();
        assert!(log.contains("-c -o common.o common.c"), "{log}");
    }
}

#[test]
fn the_second_request_does_no_work() {
    let project = Project::plain();
    let (first, said) = project.build("new");
    assert!(said.contains("build"), "{said}");
    // The same source under another name, and the checkout, which is clean.
    for revision in ["HEAD", "main", "."] {
        let (again, said) = project.build(revision);
        assert_eq!((&again["key"], said.as_str()), (&first["key"], ""), "{revision}");
    }
    let (text, _) = project.umbra("build old..new");
    let key = first["key"].as_str().unwrap();
    assert!(text.contains(&format!("{key} new: ")) && text.contains(" old: "), "{text}");
}

/// Any text may be what a source is made of, and rules need not say so.
#[test]
fn sources_that_are_made_of_texts_are_made_anew() {
    let project = Project::empty();
    project.write(
        "Makefile",
        "CC = cc\nall: one\none: one.c words.h\n\t$(CC) -o one one.c\n\
         words.h:\n\tsed 's/.*/\"&\"/' words/*.txt > words.h\n",
    );
    project.write(
        "one.c",
        "#include <stdio.h>\nint main(void) { puts(\n#include \"words.h\"\n); return 0; }\n",
    );
    project.write(".gitignore", "*.h\n");
    project.write("words/a.txt", "one\n");
    project.write("words/notes.md", "about words\n");
    project.write("README.md", "first\n");
    project.umbra("init --no-try");
    project.commit("first");
    project.build("first");
    // What is edited, whether it is built on top, and what the program says then.
    for (number, (file, text, on_top, says)) in [
        ("README.md", "second\n", true, "one\n"),
        ("words/a.txt", "two\n", false, "two\n"),
        ("words/notes.md", "more about words\n", true, "two\n"),
        ("words/b.txt", "three\n", false, "twothree\n"),
        ("words/other.md", "still more\n", true, "twothree\n"),
        ("doc/new.txt", "text\n", false, "twothree\n"),
    ]
    .into_iter()
    .enumerate()
    {
        project.write(file, text);
        let tag = format!("edit{number}");
        project.commit(&tag);
        let (build, said) = project.build(&tag);
        assert_eq!(said.contains(": rebuild"), on_top, "{file}: {said}");
        assert_eq!(Project::run(&build, "one").0, says, "{file}");
    }
}

/// A build on top of another revision gives what a build from scratch does, byte for byte.
#[test]
fn incremental_builds_equal_those_from_scratch() {
    let project = Project::plain();
    project.build("old");
    let (new, said) = project.build("new");
    assert!(said.contains(": rebuild"), "{said}");
    let incremental = Project::artefacts(&new);
    project.umbra("gc --all");
    let (new, said) = project.build("new");
    assert!(!said.contains("rebuild"), "{said}");
    assert!(incremental == Project::artefacts(&new));
    // And back.
    let (old, said) = project.build("old");
    assert!(said.contains(": rebuild"), "{said}");
    assert_eq!(Project::run(&old, "one").0, "one 1 word\n");
}

/// The rules know nothing of headers, nor of files that are gone or new.
#[test]
fn what_make_cannot_see_is_built_from_scratch() {
    let project = Project::plain();
    project.build("new");
    let (_, said) = project.build("old");
    assert!(said.contains(": rebuild"), "{said}");
    for (tag, file, text, expected) in [
        ("header", "common.h", "int common(void);\n#define WORD \"other\"\n", "one 2 other\n"),
        ("rules", "Makefile", &super::MAKEFILE.replace("-I.", "-I. -DMORE"), "one 2 other\n"),
        ("more", "more.c", "int more;\n", "one 2 other\n"),
    ] {
        project.write(file, text);
        project.commit(tag);
        let (build, said) = project.build(tag);
        assert!(
            said.contains(&format!("building from scratch, because {file} changed")),
            "{tag}: {said}"
        );
        assert_eq!(Project::run(&build, "one").0, expected, "{tag}");
    }
    project.write("README", "words\n");
    project.commit("words");
    assert!(project.build("words").1.contains(": rebuild"));
}

#[test]
fn the_working_tree_and_the_users_checkout() {
    let project = Project::plain();
    // Modified and staged, modified further, modified only, untracked, ignored, deleted.
    project.write("common.c", "int common(void) { return 3; }\n");
    project.git("add common.c");
    project.write("common.c", "int common(void) { return 4; }\n");
    project.write("one.c", &ONE.replace("WORD", "NEW_WORD").replace("common.h", "extra.h"));
    project.write("extra.h", "#include \"common.h\"\n#define NEW_WORD \"new\"\n");
    project.write("one.o", "not an object: ignored files stay out\n");
    project.write("doomed.txt", "");
    project.git("add doomed.txt");
    fs::remove_file(project.dir.path("repo/doomed.txt")).unwrap();
    project.write(".umbra/runs/last", "results are not source\n");
    let before = contents(&project.dir.path("repo"));
    let (build, _) = project.build(".");
    assert_eq!(Project::run(&build, "one"), ("one 4 new\n".into(), Some(0)));
    let work = fs::read_dir(project.dir.path("cache/work")).unwrap().next().unwrap().unwrap();
    let tree = work.path().join("analysis/tree");
    assert!(tree.join("extra.h").exists() && !tree.join("doomed.txt").exists());
    assert!(!tree.join(".umbra").exists());
    let (old, _) = project.build("old");
    assert_eq!(Project::run(&old, "one").0, "one 1 word\n");
    let after = contents(&project.dir.path("repo"));
    assert!(before.keys().eq(after.keys()), "files came or went");
    for (path, content) in &before {
        assert!(after[path] == *content, "{} changed", path.display());
    }
}

#[test]
fn a_failing_build_shows_the_error() {
    let project = Project::plain();
    project.write("common.c", "int common(void) { return 1 }\n");
    project.commit("broken");
    for _ in 0..2 {
        let message = project.error("build broken");
        assert!(message.contains("failed (exit status: 2) in the analysis build"), "{message}");
        assert!(message.contains("common.c:1:28: error: expected ';'"), "{message}");
        let log = message.lines().last().unwrap().strip_prefix("all output is in ").unwrap();
        assert!(fs::read_to_string(log).unwrap().contains("expected ';'"));
    }
    let (new, _) = project.build("new");
    assert_eq!(Project::run(&new, "one").0, "one 2 word\n");
}

#[test]
fn checking_builds_have_sanitizers() {
    let project = Project::plain();
    project.write(
        "common.c",
        "int common(void) { int a[2] = {0}; volatile int i = 2; return a[i]; }\n",
    );
    project.commit("overflow");
    let (build, _) = project.build("--checking overflow");
    assert!(build["programs"][0]["bitcode"].is_null());
    let output = Command::new(executable(&build, "one")).output().unwrap();
    let report = String::from_utf8(output.stderr).unwrap();
    assert!(report.contains("index 2 out of bounds for type 'int[2]'"), "{report}");
    assert!(report.contains("AddressSanitizer: stack-buffer-overflow"), "{report}");
    assert!(report.contains("common.c:1"), "{report}");
}

#[test]
fn programs_of_the_manifest() {
    let project = Project::plain();
    let set = |programs: &str| {
        project.write("umbra.toml", &format!("[project]\nprograms = {programs}\n[build]\nconfigure = \"\"\nbuild = 'make CC=\"$CC\"'\n"));
    };
    set("[\"sub/two\", \"three\"]");
    let (build, said) = project.build("new");
    assert!(said.contains("does not build the program three"), "{said}");
    assert_eq!(build["programs"].as_array().unwrap().len(), 1);
    set("[\"three\"]");
    let message = project.error("build new");
    assert!(message.contains("that `programs` in umbra.toml names"), "{message}");
    set("3");
    let message = project.error("build new");
    let expected = "umbra.toml:2: `project.programs` must be a list of paths, found a number";
    assert!(message.contains(expected), "{message}");
}

/// What tests do in the tree does not reach later builds.
#[test]
fn a_work_tree_is_clean_again() {
    let project = Project::plain();
    let repo = project.dir.path("repo");
    let toolchain = Toolchain {
        tools: Tools::by_name(),
        cache: Cache::new(project.dir.path("cache")),
        umbra: Some(UMBRA.into()),
    };
    let repository = Repository::find(&repo, &toolchain.cache).unwrap();
    let path = std::env::var_os("PATH").unwrap();
    let builder = Builder::new(toolchain, Manifest::load(&repo).unwrap(), repository)
        .environment(vec![("PATH".into(), path)]);
    let new = Revision::parse("new");
    let mut steps = Vec::new();
    let mut tree = |revision: &Revision| {
        steps.clear();
        let tree = builder
            .work_tree(revision, Flavour::Analysis, &mut |progress| {
                steps.push(format!("{progress:?}"));
            })
            .unwrap();
        (tree, steps.join(" "))
    };
    let (first, _) = tree(&new);
    let output = run(&first, "./one; echo left >sub/left; mkdir more; test ! -s /dev/stdin");
    assert_eq!((output.status.code(), output.stdout), (Some(0), b"one 2 word\n".to_vec()));
    let folder = first.folder().to_owned();
    assert!(folder.join("sub/left").exists());
    drop(first);
    let (second, said) = tree(&new);
    assert_eq!(said, "");
    assert!(!folder.join("sub/left").exists() && !folder.join("more").exists());
    // A program that was replaced is not built upon.
    fs::write(folder.join("one"), "#!/bin/sh\n").unwrap();
    drop(second);
    let (third, said) = tree(&Revision::parse("old"));
    assert!(said.contains("FromScratch(\"one\")"), "{said}");
    assert_eq!(run(&third, "./one").stdout, b"one 1 word\n");
}

/// Runs a command of the shell in a work tree.
fn run(tree: &WorkTree, command: &str) -> Output {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", command]);
    tree.surround(&mut shell).unwrap();
    shell.output().unwrap()
}
