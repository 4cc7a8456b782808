//! One case, run twice: natively, and in the engine (or natively again).
//!
//! Both runs start from the same setup in a fresh folder at the same path, with the same arguments
//! (the first one included), environment and mask. The engine's tree is what `--commit` wrote out;
//! the host's tree must be as before.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, bail};

use super::case::{Case, Expect, Program, Stdin};
use super::outcome::{End, Outcome};
use super::process;
use super::tree::{self, Tree};
use super::words;

const NATIVE_LIMIT: Duration = Duration::from_secs(10);
const ENGINE_LIMIT: Duration = Duration::from_secs(120);

/// What the native run is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Against {
    /// The engine.
    Engine,
    /// A second native run: is the case deterministic?
    Native,
}

/// What all cases share.
#[derive(Debug)]
pub struct Settings {
    /// The `umbra` command.
    pub umbra: PathBuf,
    /// Where `umbra` keeps what it made before.
    pub cache: PathBuf,
    /// What to compare with.
    pub against: Against,
}

/// A worker's own folder.
#[derive(Debug)]
pub struct Place {
    folder: tempfile::TempDir,
}

/// What came of a case.
#[derive(Debug)]
pub struct Compared {
    /// A description of each difference; empty if the case passed.
    pub differences: Vec<String>,
    /// How long the native run took.
    pub native: Duration,
    /// How long the other run took.
    pub other: Duration,
    /// The lines run, as an lcov tracefile.
    pub tracefile: Option<String>,
}

impl Place {
    /// A new one, among the system's temporary files.
    pub fn new() -> Result<Place> {
        let folder = tempfile::Builder::new().prefix("umbra-differential.").tempdir()?;
        Ok(Place { folder })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// Runs a case of a program in a built package, both ways.
pub fn run(
    settings: &Settings,
    place: &Place,
    program: &Program,
    build: &Path,
    case: &Case,
) -> Result<Compared> {
    let runner = Runner { settings, place, program, build, case, tree: place.path("tree") };
    runner.make_tree()?;
    let (native, native_took) = runner.native()?;
    if let (End::TimedOut(seconds), Expect::Equal) = (native.end, &case.expect) {
        bail!("the native run was stopped after {seconds} seconds");
    }
    runner.make_tree()?;
    if settings.against == Against::Native {
        let (again, took) = runner.native()?;
        let differences = match case.expect {
            Expect::Equal => again.differences(&native),
            _ => Vec::new(),
        };
        return Ok(Compared { differences, native: native_took, other: took, tracefile: None });
    }
    let before = Tree::read(&runner.tree)?;
    let (engine, engine_took) = runner.engine()?;
    let mut differences = match &case.expect {
        Expect::Equal => engine.differences(&native),
        Expect::Undefined(_) => Vec::new(),
        Expect::Finding(text) => {
            let stderr = String::from_utf8_lossy(&engine.stderr);
            let missing = format!("no finding `{text}` in stderr:\n{stderr}");
            if stderr.contains(text) { Vec::new() } else { vec![missing] }
        }
    };
    if Tree::read(&runner.tree)? != before {
        differences.push("the engine changed the host's tree".into());
    }
    let tracefile = fs::read_to_string(place.path("coverage")).ok();
    Ok(Compared { differences, native: native_took, other: engine_took, tracefile })
}

struct Runner<'a> {
    settings: &'a Settings,
    place: &'a Place,
    program: &'a Program,
    build: &'a Path,
    case: &'a Case,
    tree: PathBuf,
}

impl Runner<'_> {
    /// The tree as the setup lines make it, in place of what is there.
    fn make_tree(&self) -> Result<()> {
        tree::remove(&self.tree)?;
        fs::create_dir(&self.tree)?;
        let start = SystemTime::now();
        let mut shell = Command::new("/bin/sh");
        shell.arg("-ec").arg(self.case.setup.join("\n"));
        self.environment(&mut shell);
        shell.env("BUILD", self.build).env("DATA", &self.program.folder).stdin(Stdio::null());
        let finished = process::run(&mut shell, None, NATIVE_LIMIT)?;
        if finished.end != End::Status(0) {
            bail!(
                "the setup failed: {:?}\n{}",
                finished.end,
                String::from_utf8_lossy(&finished.stderr)
            );
        }
        tree::settle_times(&self.tree, start)
    }

    fn native(&self) -> Result<(Outcome, Duration)> {
        let mut words = self.words()?;
        words[0] = self.executable();
        self.finish(&words, &self.tree)
    }

    fn engine(&self) -> Result<(Outcome, Duration)> {
        let (out, coverage) = (self.place.path("out"), self.place.path("coverage"));
        tree::remove(&out)?;
        let _ = fs::remove_file(&coverage);
        let mut words: Vec<OsString> = vec![self.settings.umbra.clone().into(), "run".into()];
        words.extend(["--commit".into(), out.clone().into()]);
        words.extend(["--coverage".into(), coverage.into(), "--".into(), self.executable()]);
        words.extend(self.words()?.split_off(1));
        self.finish(&words, &out)
    }

    /// Runs a command in the tree; the outcome's tree is then read from `left`.
    fn finish(&self, words: &[OsString], left: &Path) -> Result<(Outcome, Duration)> {
        let mut command = match self.case.umask {
            None => Command::new(&words[0]),
            Some(mask) => {
                let mut shell = Command::new("/bin/sh");
                shell.arg("-c").arg(format!("umask {mask:o}; exec \"$0\" \"$@\"")).arg(&words[0]);
                shell
            }
        };
        command.args(&words[1..]);
        self.environment(&mut command);
        for (name, value) in &self.case.env {
            command.env(name, value);
        }
        for name in &self.case.unset {
            command.env_remove(name);
        }
        let mut input = None;
        match &self.case.stdin {
            Stdin::Null => drop(command.stdin(Stdio::null())),
            Stdin::Text(text) => input = Some(text.as_slice()),
            Stdin::File(name) => {
                let file = File::open(self.tree.join(name))
                    .with_context(|| format!("cannot open {name}"))?;
                command.stdin(file);
            }
        }
        let limit = if left == self.tree { NATIVE_LIMIT } else { ENGINE_LIMIT };
        let start = SystemTime::now();
        let finished = process::run(&mut command, input, limit)?;
        let tree = if left.exists() { Some(Tree::read_after(left, start)?) } else { None };
        let outcome =
            Outcome { end: finished.end, stdout: finished.stdout, stderr: finished.stderr, tree };
        Ok((outcome, finished.took))
    }

    /// The environment that every case starts from; `umbra` itself must find its cache in it.
    fn environment(&self, command: &mut Command) {
        command.env_clear().current_dir(&self.tree);
        command.env("PATH", "/usr/bin:/bin").env("LC_ALL", "C").env("TZ", "UTC0");
        command
            .env("HOME", &self.tree)
            .env("PWD", &self.tree)
            .env("UMBRA_CACHE", &self.settings.cache);
    }

    fn words(&self) -> Result<Vec<OsString>> {
        let bytes = |path: &Path| OsStr::as_bytes(path.as_os_str()).to_vec();
        let (build, tree) = (bytes(self.build), bytes(&self.tree));
        let words = words::split(&self.case.run, &[("BUILD", &build), ("TREE", &tree)])?;
        Ok(words.into_iter().map(OsString::from_vec).collect())
    }

    fn executable(&self) -> OsString {
        self.build.join(&self.program.executable).into()
    }
}
