//! One run of a case in the engine, told as a native run is.

use std::any::Any;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use umbra_case::{Case, Timestamp};
use umbra_engine::{
    ErrorKind, Image, Inputs, Limits, Machine, Memory, NoForks, Shared, State, Termination,
    UninitialisedReads,
};
use umbra_ir::{Loader, Program};
use umbra_os::{Kernel, OutputAction, SinkId, TreeEntry as EngineEntry};
use umbra_replay::{Blocks, Captured, Content, Ended, Outcome, Tree, TreeEntry, TreeKind, Usage};
use umbra_strategy::given;

/// Instructions of a run, beyond which it is left out.
const MOST: u64 = 2_000_000_000;

/// Why there is no outcome to compare.
pub enum NotRun {
    /// The engine has no such thing, and says so.
    Excluded(String),
    /// The engine says that something is wrong.
    Wrong(String),
}

impl NotRun {
    fn wrong(error: impl ToString) -> Self {
        Self::Wrong(error.to_string())
    }
}

/// A program that is ready to run.
pub struct Engine {
    program: Arc<Program>,
    /// For each block, in the order of the counters, whether it is of the program's own code.
    own: Vec<bool>,
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

    /// Runs a case. The error is the reason why the engine cannot.
    pub fn run(&self, case: &Case) -> Result<Outcome, NotRun> {
        let limits = Limits { memory: 2 << 30, ..Limits::default() };
        let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
        let image = Image::new(Arc::clone(&self.program), &mut memory, Inputs::Given);
        let (config, process) = given(case);
        let began = config.clock;
        let kernel = Kernel::new(config).map_err(NotRun::wrong)?;
        let mut state = State::new(memory, Box::new(kernel), limits);
        let mut shared = Shared::new(&image);
        let mut forks = NoForks;
        let mut machine = Machine::new(&image, &mut state, &mut shared, &mut forks);
        let termination = match machine.start(&process) {
            Ok(()) => machine.run(MOST).unwrap_or(Termination::Limit("instructions")),
            Err(termination) => termination,
        };
        let end = match termination {
            Termination::Exited(status) => Ended::Exited(status & 0xff),
            Termination::Killed(signal) => Ended::Killed(signal),
            Termination::Error(report)
                if matches!(report.kind, ErrorKind::Abort | ErrorKind::AssertionFailure) =>
            {
                Ended::Killed(libc::SIGABRT)
            }
            Termination::Error(report) => {
                return Err(NotRun::Wrong(format!("the engine sees an error: {report}")));
            }
            Termination::Unsupported { what, .. } => {
                return Err(NotRun::Excluded(format!("unsupported: {what}")));
            }
            Termination::Limit(what) => return Err(NotRun::Excluded(format!("limit: {what}"))),
            other => return Err(NotRun::Wrong(format!("{other:?}"))),
        };
        let environment: &mut dyn Any = &mut *state.environment;
        let kernel: &mut Kernel =
            environment.downcast_mut().ok_or_else(|| NotRun::wrong("another environment"))?;
        let [stdout, stderr] = [1, 2].map(|number| written(kernel, SinkId(number)));
        Ok(Outcome {
            end,
            stdout,
            stderr,
            tree: tree(kernel, Path::new(OsStr::from_bytes(case.root()))).map_err(NotRun::Wrong)?,
            blocks: Some(Blocks(image.covered_blocks(&shared.coverage))),
            report: None,
            began: Timestamp { seconds: began.seconds, nanoseconds: began.nanoseconds },
            usage: Usage::default(),
            notes: Vec::new(),
        })
    }

    /// Where the blocks that ran differ, in the program's own code: the machine has its own ways for
    /// some functions of the libc.
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
        let both = native.0.iter().zip(&run.0).zip(&self.own);
        let differ = both.filter(|((native, run), own)| **own && (**native != 0) != (**run != 0));
        let count = differ.count();
        (count > 0).then(|| format!("{count} blocks ran in one and not in the other"))
    }
}

/// Whether each block is of a file that is not the libc's.
fn own_blocks(program: &Program) -> Vec<bool> {
    let mut own = Vec::new();
    for function in program.functions.values() {
        let Some(body) = &function.body else { continue };
        for block in body.blocks.values() {
            let mut locations = block.instructions.iter().map(|code| code.location);
            let location = locations.find_map(|location| location).or(block.location);
            own.push(location.is_some_and(|location| {
                let file = &program.files[program.locations[location].file];
                !file.path().to_string_lossy().contains("musl")
            }));
        }
    }
    own
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

fn tree(kernel: &mut Kernel, root: &Path) -> Result<Tree, String> {
    let entries = kernel.walk_tree(root).map_err(|error| error.to_string())?;
    let mut tree: Vec<TreeEntry> = Vec::new();
    for entry in &entries {
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
