//! The cache is kept small, and what is in use stays.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use umbra_project::{Cache, Repository, Revision};

use super::Project;

fn exists(build: &serde_json::Value) -> bool {
    Path::new(build["folder"].as_str().unwrap()).exists()
}

#[test]
fn the_least_recently_used_goes_first() {
    let project = Project::plain();
    let (old, _) = project.build("old");
    let (new, _) = project.build("new");
    // Used again: now `new` is the one that was not used for longest.
    project.build("old");
    let (text, _) = project.umbra("gc --max-size 1GiB");
    assert!(text.starts_with("freed 0 bytes"), "{text}");
    let size = |text: &str| -> u64 {
        let output = Command::new("du").args(["-s", "-B1", text]).output().unwrap();
        String::from_utf8(output.stdout).unwrap().split('\t').next().unwrap().parse().unwrap()
    };
    let cache = project.dir.path("cache");
    let limit = size(cache.to_str().unwrap()) - 1;
    let (text, _) = project.umbra(&format!("gc --max-size {limit}"));
    assert!(exists(&old) && !exists(&new), "{text}");
    assert!(text.contains(new["folder"].as_str().unwrap()), "{text}");
    assert!(text.lines().last().unwrap().starts_with("freed "), "{text}");
    // The libc stays whatever is asked, so builds go on.
    project.umbra("gc --all");
    assert!(!exists(&old) && !cache.join("work").read_dir().unwrap().any(|_| true));
    let (again, _) = project.build("new");
    assert!(exists(&again));
}

#[test]
fn what_is_in_use_stays() {
    let project = Project::plain();
    let (build, _) = project.build("new");
    let lock = Path::new(build["folder"].as_str().unwrap()).join("lock");
    let mut holder = Command::new("flock")
        .args(["--shared", lock.to_str().unwrap(), "sh", "-c", "echo held; read line"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "held\n");
    let (_, said) = project.umbra("gc --all");
    assert!(said.contains(": it is in use"), "{said}");
    assert!(exists(&build));
    holder.stdin.take().unwrap().write_all(b"\n").unwrap();
    assert!(holder.wait().unwrap().success());
    project.umbra("gc --all");
    assert!(!exists(&build));
}

/// Whoever resolves, builds and compares revisions has their objects until the end, work tree or not.
#[test]
fn objects_stay_while_somebody_needs_them() {
    let project = Project::plain();
    project.build("new");
    project.write("common.c", "int common(void) { return 3; }\n");
    let cache = Cache::new(project.dir.path("cache"));
    let repository = Repository::find(&project.dir.path("repo"), &cache).unwrap();
    let tree = repository.resolve(&Revision::WorkingTree).unwrap();
    let old = repository.resolve(&Revision::parse("new")).unwrap();
    project.umbra("gc --all");
    let changes = repository.changed_files(&old, &tree).unwrap();
    assert_eq!(changes.len(), 1, "{changes:?}");
    drop(repository);
    project.umbra("gc --all");
    assert!(!cache.root().join("work").read_dir().unwrap().any(|_| true));
}

#[test]
fn a_build_keeps_the_cache_within_its_limit() {
    let project = Project::plain();
    let (old, _) = project.build("old");
    let output = project.command("build new").env("UMBRA_CACHE_LIMIT", "1k").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(!exists(&old));
    let output = project.command("build new").env("UMBRA_CACHE_LIMIT", "much").output().unwrap();
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("UMBRA_CACHE_LIMIT must be a size"), "{message}");
}

/// The limit that the project's own file gives, for builds and for `umbra gc`.
#[test]
fn the_manifest_limits_the_cache() {
    let project = Project::plain();
    let (old, _) = project.build("old");
    project.dir.ok("sed -i 's/^#* *limit = .*/limit = \"1 KiB\"/' repo/umbra.toml");
    assert!(project.dir.ok("cat repo/umbra.toml").contains("\nlimit = \"1 KiB\"\n"));
    let (new, _) = project.build("new");
    assert!(!exists(&old), "a build made room");
    assert!(exists(&new), "what was just built stays");
    let (text, _) = project.umbra("gc");
    assert!(!exists(&new), "{text}");
}
