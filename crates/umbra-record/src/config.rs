//! What a recording is to do.

use std::path::PathBuf;
use std::time::Duration;

use umbra_tracer::settings::Caps;

/// Variables that are stored: those that change what ordinary programs print. `*` ends a prefix.
///
/// `HOME` and `PATH` are not among them, since they name the machine.
pub const DEFAULT_VARIABLES: &[&str] =
    &["LC_*", "LANG", "LANGUAGE", "TZ", "POSIXLY_CORRECT", "COLUMNS", "LINES", "TERM"];

/// How long a command may do nothing: longer than tests are silent that do come to an end.
pub const DEFAULT_SILENCE: Duration = Duration::from_secs(600);

/// The configuration of a [`Recorder`](crate::Recorder).
#[derive(Clone, Debug)]
pub struct RecordConfig {
    /// The programs to record, in the build tree.
    pub programs: Vec<PathBuf>,
    /// The store that gets the cases.
    pub store: PathBuf,
    /// Names of variables that are stored; one that ends with `*` stands for a prefix.
    pub variables: Vec<String>,
    /// Folders whose files are captured even below the system's folders.
    pub trees: Vec<PathBuf>,
    /// Limits of one recording.
    pub caps: Caps,
    /// Bytes of raw recordings and contents of one run; what comes later is counted, not stored.
    pub total: u64,
    /// The name of the suite. What an earlier recording of it left in the store and this one has not
    /// is removed. `None`: nothing is.
    pub suite: Option<String>,
    /// The command is ended a while after the first invocation, to see whether it can be recorded.
    pub sample: Option<Sample>,
    /// How long programs that outlive the command are waited for.
    pub patience: Duration,
    /// How long the command may do nothing that can be seen before it is ended; `None` is for ever.
    pub silence: Option<Duration>,
}

/// When a sample of a suite is large enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// So long after the first invocation.
    pub after_first: Duration,
    /// So long after the start, whatever came.
    pub at_most: Duration,
}

impl RecordConfig {
    /// The defaults for these programs and this store.
    pub fn new(programs: Vec<PathBuf>, store: impl Into<PathBuf>) -> Self {
        Self {
            programs,
            store: store.into(),
            variables: DEFAULT_VARIABLES.iter().map(|name| (*name).to_owned()).collect(),
            trees: Vec::new(),
            caps: Caps::default(),
            total: 8 << 30,
            suite: None,
            sample: None,
            patience: Duration::from_secs(10),
            silence: Some(DEFAULT_SILENCE),
        }
    }
}
