//! What texts on the command line mean, in a repository with a branch.

use std::path::Path;
use std::process::Command;

use umbra_project::{Cache, ChangedLines, FileChange, Hunk, Repository, Revision};

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "{args:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

fn commit(folder: &Path, name: &str) {
    std::fs::write(folder.join(name), name).unwrap();
    git(folder, &["add", "--all"]);
    git(folder, &["commit", "--quiet", "-m", name]);
    git(folder, &["tag", name]);
}

/// `first` and `second` in a row; `side` branches off `first`.
fn repository(dir: &Path) -> Repository {
    let folder = dir.join("repo");
    std::fs::create_dir(&folder).unwrap();
    git(&folder, &["-c", "init.defaultBranch=main", "init", "--quiet"]);
    commit(&folder, "first");
    git(&folder, &["checkout", "--quiet", "-b", "branch"]);
    commit(&folder, "side");
    git(&folder, &["checkout", "--quiet", "main"]);
    commit(&folder, "second");
    Repository::find(&folder, &Cache::new(dir.join("cache"))).unwrap()
}

#[test]
fn ranges() {
    let dir = tempfile::tempdir().unwrap();
    let repository = repository(dir.path());
    let tree = |name: &str| repository.resolve(&Revision::parse(name)).unwrap();
    for (text, old, new) in [
        (None, "HEAD", "second"),
        (Some("."), "HEAD", "second"),
        (Some("first..second"), "first", "second"),
        (Some("first.."), "first", "second"),
        (Some("second"), "first", "second"),
        (Some("second...side"), "first", "side"),
        (Some("side..."), "first", "second"),
        (Some("side...branch"), "side", "side"),
    ] {
        let range = repository.range(text).unwrap();
        let trees =
            (repository.resolve(&range.old).unwrap(), repository.resolve(&range.new).unwrap());
        assert_eq!(trees, (tree(old), tree(new)), "{text:?}");
    }
    let error = repository.range(Some("first")).unwrap_err().to_string();
    assert!(error.starts_with("first has no commit before it"), "{error}");
    let error = repository.range(Some("nothing")).unwrap_err().to_string();
    assert!(error.starts_with("no revision `nothing` in "), "{error}");
}

#[test]
fn changes() {
    let dir = tempfile::tempdir().unwrap();
    let repository = repository(dir.path());
    let folder = repository.top().to_owned();
    let before = repository.resolve(&Revision::WorkingTree).unwrap();
    std::fs::write(folder.join("first"), "changed").unwrap();
    std::fs::remove_file(folder.join("second")).unwrap();
    std::fs::write(folder.join("third"), "").unwrap();
    let after = repository.resolve(&Revision::WorkingTree).unwrap();
    let changes = repository.changed_files(&before, &after).unwrap();
    let found: Vec<_> =
        changes.iter().map(|change| (change.path.to_str().unwrap(), change.kind)).collect();
    let expected = [
        ("first", FileChange::Modified),
        ("second", FileChange::Deleted),
        ("third", FileChange::Added),
    ];
    assert_eq!(found, expected);
    assert!(repository.submodules(&after).unwrap().is_empty());
}

#[test]
fn changed_lines_whatever_the_user_likes() {
    let dir = tempfile::tempdir().unwrap();
    let repository = repository(dir.path());
    let folder = repository.top().to_owned();
    // Settings that change what a patch looks like.
    for (name, value) in [
        ("color.ui", "always"),
        ("diff.noprefix", "true"),
        ("diff.external", "false"),
        ("diff.interHunkContext", "9"),
        ("diff.renames", "copies"),
    ] {
        git(&folder, &["config", name, value]);
    }
    std::fs::write(folder.join("first"), "1\n2\n3\n4\n5\n").unwrap();
    std::fs::write(folder.join("ä *.c"), "1\n2\n").unwrap();
    std::fs::write(folder.join("other"), "1\n").unwrap();
    let before = repository.resolve(&Revision::WorkingTree).unwrap();
    std::fs::write(folder.join("first"), "1\n3\n4\n4.5\n5.\n").unwrap();
    std::fs::write(folder.join("ä *.c"), "1\n2\n3\n").unwrap();
    std::fs::write(folder.join("other"), "2\n").unwrap();
    let after = repository.resolve(&Revision::WorkingTree).unwrap();
    let paths = ["first", "second", "ä *.c"].map(Into::into);
    let found = repository.changed_lines(&before, &after, &paths).unwrap();
    let lines = |path: &str, hunks| ChangedLines { path: path.into(), hunks };
    let expected = [
        lines("first", vec![Hunk { old: 2..3, new: 2..2 }, Hunk { old: 5..6, new: 4..6 }]),
        lines("ä *.c", vec![Hunk { old: 3..3, new: 3..4 }]),
    ];
    assert_eq!(found, expected);
    assert_eq!(repository.changed_lines(&before, &after, &[]).unwrap(), []);
}

#[test]
fn a_repository_without_commits() {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "--quiet"]);
    std::fs::write(dir.path().join("a"), "").unwrap();
    let cache = tempfile::tempdir().unwrap();
    let repository = Repository::find(dir.path(), &Cache::new(cache.path())).unwrap();
    repository.resolve(&Revision::WorkingTree).unwrap();
    let error = repository.resolve(&Revision::parse("HEAD")).unwrap_err().to_string();
    assert!(error.starts_with("no revision `HEAD` in "), "{error}");
}
