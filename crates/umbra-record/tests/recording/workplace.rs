//! A temporary folder with the probe in it, and commands that run there.

use std::cell::RefCell;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use tempfile::TempDir;
use umbra_case::{Case, Store};
use umbra_record::{RecordConfig, Recorder, Summary};

/// The folder of this test's sources.
pub const SOURCES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recording");

/// How the probe is built: its calls are seen in another way if it can trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Probe {
    /// It traces others, when asked to: it stops at each call.
    Tracing,
    /// It cannot: a filter picks its calls.
    Filtered,
}

impl Probe {
    /// Whether the probe does not do what a line of a script asks for.
    pub fn lacks(self, line: &str) -> bool {
        let asks = ["bin/probe trace", "bin/probe seize"];
        self == Self::Filtered && asks.iter().any(|words| line.contains(words))
    }

    /// The probe, compiled once.
    fn program(self) -> PathBuf {
        static FOLDER: OnceLock<TempDir> = OnceLock::new();
        let folder = FOLDER.get_or_init(|| {
            let folder = tempfile::tempdir().unwrap();
            for (name, defined) in [("tracing", "-DTRACING"), ("filtered", "-UTRACING")] {
                let status = Command::new("clang-19")
                    .args(["-static", "-w", "-O1", defined, "-o"])
                    .args([&folder.path().join(name), &Path::new(SOURCES).join("probe.c")])
                    .status()
                    .unwrap();
                assert!(status.success());
            }
            folder
        });
        folder.path().join(if self == Self::Tracing { "tracing" } else { "filtered" })
    }
}

/// A folder in which a suite runs. Only one test has any at a time.
pub struct Workplace {
    folder: TempDir,
    _turn: Turn,
}

/// The turn of the test that runs in this thread, as long as any part of it is there.
///
/// A program that one thread has just written cannot be executed while a process that another thread
/// has forked still has the file open for writing.
struct Turn;

static TURN: Mutex<()> = Mutex::new(());

thread_local! {
    /// The lock of this thread's test, and how many parts of it there are.
    static HELD: RefCell<(usize, Option<MutexGuard<'static, ()>>)> =
        const { RefCell::new((0, None)) };
}

impl Turn {
    fn take() -> Self {
        HELD.with_borrow_mut(|(parts, lock)| {
            if *parts == 0 {
                *lock = Some(TURN.lock().unwrap_or_else(PoisonError::into_inner));
            }
            *parts += 1;
        });
        Self
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|(parts, lock)| {
            *parts -= 1;
            if *parts == 0 {
                *lock = None;
            }
        });
    }
}

impl Workplace {
    /// A folder with a probe whose calls are filtered.
    pub fn new() -> Self {
        Self::with(Probe::Filtered)
    }

    /// A folder with the probe as `work/bin/probe`, and two programs that are not recorded: the probe
    /// as `work/bin/bare`, and one that traces as `work/bin/gdb`.
    pub fn with(probe: Probe) -> Self {
        let turn = Turn::take();
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("work/bin")).unwrap();
        for (name, probe) in [("probe", probe), ("bare", probe), ("gdb", Probe::Tracing)] {
            fs::copy(probe.program(), folder.path().join("work/bin").join(name)).unwrap();
        }
        Self { folder, _turn: turn }
    }

    /// The suite's working directory.
    pub fn work(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap().join("work")
    }

    /// The recorded program.
    pub fn program(&self) -> PathBuf {
        self.work().join("bin/probe")
    }

    /// The folder of the store.
    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// The configuration that records the probe.
    pub fn config(&self) -> RecordConfig {
        RecordConfig::new(vec![self.program()], self.store())
    }

    /// A shell that runs the script in the working directory with fixed variables. What it writes
    /// and how it ends goes to files.
    pub fn command(&self, script: &str) -> Vec<OsString> {
        let path = self.folder.path().join("script.sh");
        fs::write(&path, script).unwrap();
        let outer = r#"cd "$1" && sh "$2" > ../out 2> ../err < /dev/null; echo $? > ../status"#;
        let words = ["env", "-i", "PATH=/usr/bin:/bin", "LC_ALL=C", "SECRET=marker-of-a-secret"];
        let mut command: Vec<OsString> = words.iter().map(Into::into).collect();
        command.extend(["sh", "-c", outer, "sh"].map(Into::into));
        command.extend([self.work().into(), path.into()]);
        command
    }

    /// Runs a script bare.
    pub fn run(&self, script: &str) {
        let command = self.command(script);
        assert!(Command::new(&command[0]).args(&command[1..]).status().unwrap().success());
    }

    /// Runs a script while it is recorded.
    pub fn record(&self, script: &str) -> Summary {
        self.record_with(self.config(), script)
    }

    /// The same with a configuration.
    pub fn record_with(&self, config: RecordConfig, script: &str) -> Summary {
        let command = self.command(script);
        let summary = Recorder::new(config).run(&command, &mut |_| {}).unwrap();
        assert_eq!((summary.status, summary.damaged, summary.killed_tracers), (0, 0, 0));
        summary
    }

    /// What the last script has written, how it ended, and the names of what it left.
    pub fn result(&self) -> String {
        let read = |name: &str| {
            let bytes = fs::read(self.folder.path().join(name)).unwrap();
            // The two folders have different names.
            bytes.escape_ascii().to_string().replace("\\n", "\n")
        };
        let mut names = Vec::new();
        list(&self.work(), &mut names);
        format!(
            "out\n{}err\n{}status {}left\n{}",
            read("out"),
            read("err"),
            read("status"),
            names.join("\n")
        )
        .replace(&self.work().display().to_string(), "WORK")
        .replace(&self.folder.path().display().to_string(), "FOLDER")
    }

    /// All cases in the store.
    pub fn cases(&self) -> Vec<Case> {
        let store = Store::open(self.store()).unwrap();
        store.ids().unwrap().into_iter().map(|id| store.get(id).unwrap()).collect()
    }
}

fn list(folder: &Path, names: &mut Vec<String>) {
    // Folders that are too deep for a path are not listed.
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in paths {
        names.push(format!("{}", path.display()));
        if path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir()) {
            list(&path, names);
        }
    }
}
