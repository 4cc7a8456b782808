//! Repositories that are not as they should be.

use std::fs;

use super::Project;

#[test]
fn errors_name_the_way_out() {
    let project = Project::plain();
    let message = project.error("build nonsense");
    assert!(message.contains("no revision `nonsense` in "), "{message}");
    let message = project.error("build --json -- --all");
    assert!(message.contains("no revision `--all` in "), "{message}");
    let message = project.error("build old...nonsense");
    assert!(message.contains("no revision `nonsense` in "), "{message}");

    fs::remove_dir_all(project.dir.path("repo/.git")).unwrap();
    let message = project.error("build");
    assert!(message.contains("is not in a git repository"), "{message}");
    fs::remove_file(project.dir.path("repo/umbra.toml")).unwrap();
    let message = project.error("build");
    assert!(message.contains("no umbra.toml in ") && message.contains("umbra init"), "{message}");
}

#[test]
fn a_machine_without_git() {
    let project = Project::plain();
    let output = project.command("build new").env("PATH", "/nonexistent").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cannot run git") && message.contains("apt-get"), "{message}");
}

#[test]
fn a_shallow_clone() {
    let project = Project::plain();
    let repo = project.dir.path("repo");
    project.dir.ok("mv repo origin && git clone --quiet --depth 1 file://$PWD/origin repo");
    assert!(repo.join("umbra.toml").exists());
    let message = project.error("build old");
    assert!(message.contains("shallow clone: `git fetch --unshallow`"), "{message}");
}

/// Variables of a hook must not lead us elsewhere, and the project may be a subfolder.
#[test]
fn a_project_in_a_subfolder_from_a_hook() {
    let project = Project::plain();
    project.git("checkout --quiet -b nested");
    project
        .dir
        .ok("cd repo && mkdir deep && git mv Makefile one.c sub common.c common.h umbra.toml deep");
    project.commit("nested-1");
    let mut command = project.command("build --json nested-1");
    command.current_dir(project.dir.path("repo/deep/sub"));
    command.env("GIT_DIR", "/nonexistent").env("GIT_INDEX_FILE", "/nonexistent");
    let output = command.output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{message}");
    let object: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(Project::run(&object["builds"][0], "one").0, "one 2 word\n");
}

#[test]
fn submodules_are_taken_from_the_checkout() {
    let project = Project::plain();
    project.dir.ok("git clone --quiet repo other");
    project.git("-c protocol.file.allow=always submodule --quiet add ../other module");
    project.write("one.c", "#include \"module/one.c\"\n");
    project.commit("with-module");
    let (build, said) = project.build("with-module");
    assert!(!said.contains("submodule"), "{said}");
    assert_eq!(Project::run(&build, "one").0, "one 2 word\n");
    // Without it, that is said before the compiler says it.
    project.umbra("gc --all");
    project.git("submodule --quiet deinit --force module");
    let message = project.error("build with-module");
    assert!(message.contains("leaving out submodule module"), "{message}");
    assert!(message.contains("'module/one.c' file not found"), "{message}");
}

#[test]
fn unusual_names() {
    let project = Project::plain();
    project.write("tests/a b\n\"c\"", "x");
    project.write("tests/\u{fc}", "x");
    project.dir.ok("cd repo && ln -s nowhere tests/link");
    project.commit("names");
    let (build, _) = project.build("names");
    assert_eq!(Project::run(&build, "one").0, "one 2 word\n");
    let work = project.dir.path("cache/work");
    let project_folder = fs::read_dir(work).unwrap().next().unwrap().unwrap().path();
    let tree = project_folder.join("analysis/tree/tests");
    assert_eq!(fs::read_to_string(tree.join("a b\n\"c\"")).unwrap(), "x");
    assert_eq!(fs::read_link(tree.join("link")).unwrap().to_str(), Some("nowhere"));
}
