//! Projects: `umbra init`, `umbra build`, `umbra gc`, on small throw-away repositories.

mod amplify;
mod build;
mod check;
mod ci;
mod collect;
mod kill;
mod places;
mod range;
mod reach;
mod repository;
mod siblings;
mod systems;
mod trial;
mod walk;

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// A repository in `repo` and a cache in `cache`, which holds the libc that the set-up
/// built.
pub struct Project {
    pub dir: Dir,
}

/// Two programs from three files, and one that is for tests, by hand-written rules that know of no header.
pub const MAKEFILE: &str = "\
CC = cc
all: one sub/two tests/three
one: one.o common.o
\t$(CC) -o $@ one.o common.o
sub/two: sub/two.o common.o
\t$(CC) -o $@ sub/two.o common.o
tests/three: sub/two
\tmkdir -p tests && cp sub/two tests/three && cp sub/two.bc tests/three.bc || :
.c.o:
\t$(CC) -I. -c -o $@ $<
";

pub const ONE: &str = "\
#include <stdio.h>
#include \"common.h\"
int main(void) { printf(\"one %d %s\\n\", common(), WORD); return 0; }
";

impl Project {
    /// An empty repository.
    pub fn empty() -> Project {
        let project = Project { dir: Dir::new() };
        let cache = project.dir.path("cache");
        fs::create_dir(&cache).unwrap();
        let sysroot = PathBuf::from(project.dir.ok(&format!("{UMBRA} libc path")).trim_end());
        let target = sysroot.canonicalize().unwrap();
        symlink(target, cache.join(sysroot.file_name().unwrap())).unwrap();
        project.dir.ok("git -c init.defaultBranch=main init --quiet repo");
        for (name, value) in [("user.name", "tester"), ("user.email", "tester@localhost")] {
            project.git(&format!("config {name} {value}"));
        }
        project
    }

    /// The plain project with two commits, tagged `old` and `new`: `common` changes its answer.
    pub fn plain() -> Project {
        let project = Project::empty();
        project.write("Makefile", MAKEFILE);
        project.write("one.c", ONE);
        project.write("sub/two.c", "#include \"common.h\"\nint main(void) { return common(); }\n");
        project.write("common.h", "int common(void);\n#define WORD \"word\"\n");
        project.write("common.c", "int common(void) { return 1; }\n");
        project.write(".gitignore", "*.o\n");
        project.umbra("init --no-try");
        project.commit("old");
        project.write("common.c", "int common(void) { return 2; }\n");
        project.commit("new");
        project
    }

    pub fn write(&self, name: &str, text: &str) {
        self.dir.write(&format!("repo/{name}"), text);
    }

    pub fn git(&self, args: &str) -> String {
        self.dir.ok(&format!("git -C repo {args}"))
    }

    /// Commits everything under a tag.
    pub fn commit(&self, tag: &str) {
        self.git("add --all");
        self.git(&format!("commit --quiet -m {tag}"));
        self.git(&format!("tag {tag}"));
    }

    /// An `umbra` command in the repository.
    pub fn command(&self, args: &str) -> Command {
        let mut command = Command::new(UMBRA);
        command.args(args.split_whitespace()).current_dir(self.dir.path("repo"));
        command.env("UMBRA_CACHE", self.dir.path("cache"));
        command
    }

    /// `umbra ARGS`, however it ends.
    pub fn output(&self, args: &str) -> Output {
        self.command(args).output().unwrap()
    }

    /// `umbra ARGS`, which must succeed: standard output and standard error.
    pub fn umbra(&self, args: &str) -> (String, String) {
        let output = self.output(args);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let (stdout, stderr) = (text(output.stdout), text(output.stderr));
        assert!(output.status.success(), "umbra {args}: {stdout}{stderr}");
        (stdout, stderr)
    }

    /// `umbra ARGS`, which must fail as our own error: the message.
    pub fn error(&self, args: &str) -> String {
        let output = self.output(args);
        let message = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "umbra {args}: {message}");
        message
    }

    /// Builds a revision; its object in the JSON, and what was said meanwhile.
    pub fn build(&self, args: &str) -> (Value, String) {
        let (stdout, stderr) = self.umbra(&format!("build --json {args}"));
        let object: Value = serde_json::from_str(&stdout).unwrap();
        (object["builds"][0].clone(), stderr)
    }

    /// What a program of a build prints, and its status.
    pub fn run(build: &Value, path: &str) -> (String, Option<i32>) {
        let output = Command::new(executable(build, path)).output().unwrap();
        (String::from_utf8(output.stdout).unwrap(), output.status.code())
    }

    /// All programs of a build and their bitcode.
    pub fn artefacts(build: &Value) -> BTreeMap<PathBuf, Vec<u8>> {
        let folder = Path::new(build["folder"].as_str().unwrap()).join("programs");
        let files = contents(&folder);
        assert!(!files.is_empty(), "no programs in {}", folder.display());
        files.into_iter().map(|(path, (_, bytes))| (path, bytes)).collect()
    }
}

pub fn executable(build: &Value, path: &str) -> PathBuf {
    let programs = build["programs"].as_array().unwrap();
    let program = programs.iter().find(|program| program["path"] == path);
    let program = program.unwrap_or_else(|| panic!("no {path} in {build}"));
    program["executable"].as_str().unwrap().into()
}

/// Everything below a folder: paths with mode, and content of files.
pub fn contents(root: &Path) -> BTreeMap<PathBuf, (u32, Vec<u8>)> {
    let mut contents = BTreeMap::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = fs::symlink_metadata(&path).unwrap();
            let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
            if metadata.is_dir() {
                folders.push(path.clone());
            } else {
                let name = path.strip_prefix(root).unwrap().to_owned();
                contents.insert(name, (metadata.mode(), bytes));
            }
        }
    }
    contents
}
