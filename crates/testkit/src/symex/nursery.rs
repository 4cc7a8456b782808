//! Real programs with faults: they must be found, and show themselves natively.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use umbra_words::End;

use super::command::Written;
use super::native::run_case;
use super::planted::Planted;
use super::real::{Package, explore_for, findings};
use super::replay::run_directly;

/// Tests of a fault that are run natively, at most.
const TRIED: usize = 50;

/// A copy of a package into which faults are planted.
pub struct Nursery {
    tree: PathBuf,
    checking: PathBuf,
    umbra: PathBuf,
    folder: tempfile::TempDir,
}

/// A program with a fault.
pub struct Faulty {
    /// The executable that is explored.
    pub exe: PathBuf,
    /// The one with sanitizers.
    checking: PathBuf,
}

impl Faulty {
    /// The build with sanitizers.
    pub fn checking(&self) -> &Path {
        &self.checking
    }
}

impl Nursery {
    /// Copies a built package, with times, so that `make` builds only what is changed.
    pub fn new(package: &Package) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let copy = |from: &Path, name: &str| {
            let tree = folder.path().join(name);
            succeed(Command::new("cp").arg("-a").arg(from).arg(&tree))?;
            anyhow::Ok(tree)
        };
        let tree = copy(&package.tree, "tree")?;
        let checking = copy(&package.checking()?, "checking-tree")?;
        Ok(Self { tree, checking, umbra: package.umbra.clone(), folder })
    }

    /// Builds the program with the fault; the trees are as they were afterwards.
    pub fn plant(&self, planted: &Planted) -> anyhow::Result<Faulty> {
        let name = &planted.program;
        let exe = self.folder.path().join(name);
        let checking = self.folder.path().join(format!("{name}-checking"));
        let bitcode = self.folder.path().join(format!("{name}.bc"));
        // The umbra that built the tree may be gone.
        let compiler = format!("CC={} cc", self.umbra.display());
        Self::build(planted, &self.tree, Some(&compiler), &[("", &exe), (".bc", &bitcode)])?;
        Self::build(planted, &self.checking, None, &[("", &checking)])?;
        Ok(Faulty { exe, checking })
    }

    /// Builds the program in one of the trees and copies what was made.
    fn build(
        planted: &Planted,
        tree: &Path,
        compiler: Option<&str>,
        made: &[(&str, &PathBuf)],
    ) -> anyhow::Result<()> {
        Self::patch(planted, tree, &["-p1"])?;
        let target = format!("src/{}", planted.program);
        let mut make = Command::new("make");
        make.arg("-C").arg(tree).args(["MAKEINFO=true", &target]).args(compiler);
        let built = succeed(make.env("ASAN_OPTIONS", "detect_leaks=0"));
        if built.is_ok() {
            for (ending, to) in made {
                fs::copy(tree.join(format!("{target}{ending}")), to)?;
            }
        }
        Self::patch(planted, tree, &["-R", "-p1"])?;
        built
    }

    fn patch(planted: &Planted, tree: &Path, flags: &[&str]) -> anyhow::Result<()> {
        let mut patch = Command::new("patch");
        patch.arg("-s").arg("-d").arg(tree).args(flags);
        succeed(patch.stdin(fs::File::open(planted.file())?))
    }

    /// Explores a program for its fault, which must also show itself natively; returns how many
    /// paths there were.
    pub fn check(
        &self,
        planted: &Planted,
        faulty: &Faulty,
        words: &[String],
        time: Duration,
    ) -> anyhow::Result<u64> {
        let explored = explore_for(&self.umbra, &faulty.exe, words, time)?;
        ensure!(explored.engine_bugs() == 0, "{} engine bugs", explored.engine_bugs());
        let is_it = |written: &&Written| match &written.case.expected.end {
            Some(End::Error(error)) => planted.is(error),
            _ => false,
        };
        let paths = ["completed", "error", "cut"].map(|key| explored.number(&["paths", key]));
        let paths: u64 = paths.iter().sum();
        let mut found = explored.errors().filter(is_it).peekable();
        if found.peek().is_none() {
            let others: Vec<_> = findings(&explored).into_keys().collect();
            bail!("no {planted} in {paths} paths, but {others:?}")
        }
        // Natively not every input shows it: what is behind an array may be harmless.
        for written in found.take(TRIED) {
            let outcome = run_case(&faulty.checking, &written.case)?;
            let report = String::from_utf8_lossy(&outcome.stderr);
            if planted.is_in(&report)
                || run_directly(&written.case, &faulty.exe)?.signal().is_some()
            {
                return Ok(paths);
            }
        }
        bail!("{planted} is found, but {TRIED} of its tests do not show it natively")
    }
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?}: {report}");
    Ok(())
}
