//! One run of a case in the engine, told as a native run is.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use umbra_case::{Case, Resource, Timestamp};
use umbra_compare::{Blocks, Captured, Content, Outcome, Tree, TreeEntry, TreeKind, Usage};
use umbra_engine::{
    ErrorKind, Image, Inputs, Limits, Machine, Memory, NoForks, Shared, State, Termination,
    UninitialisedReads,
};
use umbra_ir::{Loader, LocationId, Program};
use umbra_os::{Config, Kernel, OutputAction, SinkId, TreeEntry as EngineEntry};
use umbra_strategy::given;
use umbra_words::{End, LimitKind};

use super::executed;

/// Instructions of a run, beyond which it is left out.
const MOST: u64 = 2_000_000_000;

/// Why a case that ends with `execve` may not be compared.
const OTHER_PROGRAM: &str = "executes a program that is not in the case";

/// Why there is no outcome to compare.
pub enum NotRun {
    /// The engine has no such thing, and says so.
    Excluded(String),
    /// The engine says that something is wrong.
    Wrong(String),
}

impl NotRun {
    /// Anything that must not be.
    pub fn wrong(error: impl ToString) -> Self {
        Self::Wrong(error.to_string())
    }
}

/// What a run came to.
pub struct Ran {
    /// As of a native run. If another program takes over, [`executed`] stands in for that.
    pub outcome: Outcome,
    /// Where in the tree of the case that other program is.
    pub executes: Option<Vec<u8>>,
}

/// A program that is ready to run.
pub struct Engine {
    program: Arc<Program>,
    /// For each block, in the order of the counters, its lines that are the program's own.
    own: Vec<Vec<String>>,
}

impl Engine {
    /// Loads the bitcode beside an executable.
    pub fn load(umbra: &Path, executable: &Path) -> anyhow::Result<Self> {
        let mut bitcode = executable.as_os_str().to_owned();
        bitcode.push(".bc");
        let loader = Loader {
            program: umbra.to_owned(),
            arguments: vec!["__load".into()],
            limits: umbra_ir::Limits {
                memory_bytes: 4 << 30,
                cpu_seconds: 120,
                wall: Duration::from_secs(300),
            },
        };
        let program = loader.load(Path::new(&bitcode)).context("reading bitcode")?;
        let own = own_blocks(&program);
        Ok(Self { program: Arc::new(program), own })
    }

    /// Runs a case as a sandbox with default limits does at a time, up to where another program
    /// takes the place of this one. The error is the reason why the engine cannot.
    pub fn run(&self, case: &Case, began: Timestamp) -> Result<Ran, NotRun> {
        let limits = Limits { memory: 2 << 30, ..Limits::default() };
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(Arc::clone(&self.program), &mut memory, Inputs::Given);
        let (mut config, process) = given(case);
        as_in_sandbox(&mut config, began);
        let kernel = Kernel::new(config).map_err(NotRun::wrong)?;
        let mut state = State::new(memory, Box::new(kernel), limits);
        let mut shared = Shared::new(&image);
        let mut forks = NoForks;
        let mut machine = Machine::new(&image, &mut state, &mut shared, &mut forks);
        let termination = match machine.start(&process) {
            Ok(()) => machine.run(MOST).unwrap_or(Termination::Limit("instructions")),
            Err(termination) => termination,
        };
        let kernel = Kernel::of_mut(&mut *state.environment);
        let execution = kernel.execution().cloned();
        let end = match &execution {
            Some(_) => End::Exited(0),
            None => ended(termination, case)?,
        };
        let [stdout, stderr] = [1, 2].map(|number| written(kernel, SinkId(number)));
        let root = Path::new(OsStr::from_bytes(case.root()));
        let entries = match kernel.walk_tree(root) {
            // The program has removed it.
            Err(umbra_os::Error::Tree(_, umbra_os::Errno::ENOENT)) => Vec::new(),
            entries => entries.map_err(NotRun::wrong)?,
        };
        let executes = match &execution {
            Some(execution) => {
                let file = entries.iter().find(|entry| entry.id == execution.file);
                let file = file.ok_or_else(|| NotRun::Excluded(OTHER_PROGRAM.to_owned()))?;
                Some(file.path.as_os_str().as_bytes().to_vec())
            }
            None => None,
        };
        let mut outcome = Outcome {
            end,
            stdout,
            stderr,
            tree: tree(kernel, &entries).map_err(NotRun::Wrong)?,
            blocks: Some(Blocks(image.covered_blocks(&shared.coverage))),
            report: None,
            began,
            usage: Usage::default(),
            memory_count: umbra_compare::MemoryCount::default(),
            notes: Vec::new(),
        };
        if let Some(execution) = &execution {
            executed::report(&mut outcome, execution);
        }
        Ok(Ran { outcome, executes })
    }

    /// Where the lines that ran differ, in the program's own code: the machine has its own ways for
    /// some functions of the libc. (Lines, not blocks: variable arguments are all in memory here.)
    pub fn unlike_blocks(&self, native: &Outcome, run: &Outcome) -> Option<String> {
        let (Some(native), Some(run)) = (&native.blocks, &run.blocks) else { return None };
        if (native.0.len(), run.0.len()) != (self.own.len(), self.own.len()) {
            return Some(format!(
                "{} counters natively, {} in the engine, {} blocks",
                native.0.len(),
                run.0.len(),
                self.own.len()
            ));
        }
        let lines = |blocks: &Blocks| -> BTreeSet<&String> {
            blocks.ran().flat_map(|block| &self.own[block]).collect()
        };
        let (native, run) = (lines(native), lines(run));
        let differ = native.symmetric_difference(&run);
        let shown: Vec<&str> = differ.take(5).map(|line| line.as_str()).collect();
        (!shown.is_empty()).then(|| format!("lines ran in one only: {}", shown.join(", ")))
    }
}

/// What a program can see of a sandbox that a case does not say.
fn as_in_sandbox(config: &mut Config, began: Timestamp) {
    let sandbox = umbra_replay::Limits::default();
    for (resource, limit) in [
        (libc::RLIMIT_AS, sandbox.address_space),
        (libc::RLIMIT_FSIZE, sandbox.file_size),
        (libc::RLIMIT_NOFILE, sandbox.open_files),
        (libc::RLIMIT_CPU, sandbox.cpu.as_secs()),
    ] {
        let lower = config
            .limits
            .iter()
            .find(|(number, soft, _)| (*number, *soft <= limit) == (resource, true));
        if lower.is_none() {
            config.limits.retain(|(number, ..)| *number != resource);
            config.limits.push((resource, limit, limit));
        }
    }
    // What is cut there is no output to compare.
    config.output_limit = sandbox.output;
    // The files of the root itself have two pages of it.
    config.upper_limit = sandbox.disk - 8192;
    config.clock = umbra_os::Timestamp::new(began.seconds, began.nanoseconds);
    config.clock_step = 1_000;
    config.processors = std::thread::available_parallelism().map_or(1, |count| count.get() as u32);
}

/// How a run that ended is seen from outside.
fn ended(termination: Termination, case: &Case) -> Result<End, NotRun> {
    let has_own = |resource| case.settings.limits.contains_key(&resource);
    Ok(match termination {
        Termination::Exited(status) => End::Exited(status & 0xff),
        Termination::Killed(libc::SIGXFSZ) if !has_own(Resource::FileSize) => {
            End::OverLimit(LimitKind::FileSize)
        }
        Termination::Killed(signal) => End::Killed(signal),
        Termination::Error(report)
            if matches!(report.kind, ErrorKind::Abort | ErrorKind::AssertionFailure) =>
        {
            End::Killed(libc::SIGABRT)
        }
        Termination::Error(report) => {
            return Err(NotRun::Wrong(format!("the engine sees an error: {report}")));
        }
        Termination::Unsupported { what, .. } if what.ends_with("in a child process") => {
            return Err(NotRun::Excluded("a child executes another program".to_owned()));
        }
        Termination::Unsupported { what, .. } => {
            return Err(NotRun::Excluded(format!("unsupported: {what}")));
        }
        Termination::Limit(what) => return Err(NotRun::Excluded(format!("limit: {what}"))),
        other => return Err(NotRun::Wrong(format!("{other:?}"))),
    })
}

/// Files that look at the process's own memory map, which is the machine's, and at numbers that are the
/// file system's or come by chance: in tables by inode, in names of temporary files.
const OF_THE_MACHINE: [&str; 6] =
    ["stackvma.c", "sigsegv.c", "c-stack.c", "hash.c", "hash-triple.c", "tempname.c"];

/// The lines of each block in files that are not the libc's.
fn own_blocks(program: &Program) -> Vec<Vec<String>> {
    let line = |location: LocationId| {
        let location = &program.locations[location];
        let path = program.files[location.file].path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let is_own = !path.to_string_lossy().contains("musl")
            && !OF_THE_MACHINE.contains(&&*name)
            && location.line != 0;
        is_own.then(|| format!("{name}:{}", location.line))
    };
    let bodies = program.functions.values().filter_map(|function| function.body.as_ref());
    let blocks = bodies.flat_map(|body| body.blocks.values());
    blocks
        .map(|block| {
            let locations = block.instructions.iter().filter_map(|code| code.location);
            locations.chain(block.location).filter_map(line).collect()
        })
        .collect()
}

/// What the program wrote to a sink.
fn written(kernel: &Kernel, sink: SinkId) -> Captured {
    let mut bytes = Vec::new();
    for event in kernel.output().into_iter().filter(|event| event.sink == sink) {
        if let OutputAction::Write { bytes: written, .. } = event.action {
            bytes.extend_from_slice(written.plain().unwrap_or_default());
        }
    }
    Captured { bytes, cut: false }
}

fn tree(kernel: &Kernel, entries: &[EngineEntry]) -> Result<Tree, String> {
    let mut tree: Vec<TreeEntry> = Vec::new();
    for entry in entries {
        let path = entry.path.as_os_str().as_bytes();
        let stat = &entry.stat;
        let is_folder = stat.mode & libc::S_IFMT == libc::S_IFDIR;
        tree.push(TreeEntry {
            path: if path.is_empty() { b".".to_vec() } else { path.to_vec() },
            kind: kind(kernel, entry)?,
            mode: stat.mode & 0o7777,
            modified: Timestamp {
                seconds: stat.mtime.seconds,
                nanoseconds: stat.mtime.nanoseconds,
            },
            links: if is_folder { 1 } else { stat.nlink },
        });
    }
    tree.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(Tree(tree))
}

fn kind(kernel: &Kernel, entry: &EngineEntry) -> Result<TreeKind, String> {
    Ok(match entry.stat.mode & libc::S_IFMT {
        libc::S_IFDIR => TreeKind::Directory,
        libc::S_IFLNK => TreeKind::Symlink(entry.target.clone().unwrap_or_default()),
        libc::S_IFIFO => TreeKind::Fifo,
        libc::S_IFSOCK => TreeKind::Socket,
        _ => {
            let mut bytes = vec![0; entry.stat.size as usize];
            let mut filled = 0;
            while filled < bytes.len() {
                let read = kernel.read_file(entry.id, filled as u64, &mut bytes[filled..]);
                match read.map_err(|error| error.to_string())? {
                    0 => break,
                    count => filled += count,
                }
            }
            TreeKind::File(Content::of(bytes))
        }
    })
}
