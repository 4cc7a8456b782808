//! The results of a run, and the forms they are shown in.
//!
//! What happened comes in as plain values: a [`RunSummary`], [`Findings`], [`Sample`]s over time and
//! the [`LineCoverage`]. Out come one JSON object ([`RunSummary::to_json`]), one screen of text
//! ([`SummaryText`]), a line of progress ([`progress_line`]), and a [`RunFolder`] with the test cases.
//!
//! **Invariant:** knows nothing of the engine, the terminal or the clock: width, colours and times
//! are passed in. Equal values give equal text.

mod amplify;
mod case;
mod check;
mod coverage;
mod diff;
mod error;
mod explain;
mod files;
mod findings;
mod folder;
mod info;
mod json;
mod markup;
mod numbers;
mod object;
mod progress;
mod reach;
mod sample;
mod summary;
mod text;

pub use amplify::{
    AmplifiedProgram, AmplifyFinding, AmplifyReport, AmplifyTests, Chance, CheckCounts,
    DistanceLine, FindingTest, SampleLine,
};
pub use case::{CaseDiff, CaseText};
#[doc(hidden)]
pub use check::sample_check;
pub use check::{
    Behaviour, ChangedLines, CheckFinding, CheckReport, Checked, CheckedProgram, EffectLine, Event,
    Excerpt, HunkAnswer, HunkLine, HunkReport, InputPart, LaterOn, LineSort, LogLine, LogReport,
    PatchFile, Piece, RevisionLine, Stage, StageEnd, StageLine, Stream,
};
pub use coverage::{LineCounts, LineCoverage, tracefile};
pub use diff::{
    ApartLine, ChangeLine, ComparedProgram, DiffSummary, DifferenceLine, DivergenceLine, Ignored,
    LockstepCounts, Look, NativeLine, PairCounts, PathLine, PathLines, PathWay, ProgramOutcome,
    RangeSummary, ReplayCounts, SeedCounts, TestsTogether, UnificationCounts,
};
pub use error::Error;
pub use explain::{
    Cell, ExplainReport, FileLine, FunctionReport, LineMark, RowLine, RowRun, RunReport,
    SymbolLine, TypeLine,
};
pub use files::write as write_file;
pub use findings::{Findings, Keep, Seen, finding_text};
pub use folder::{RunFolder, WrittenCase};
pub use info::Info;
pub use object::{
    BuildLine, BuildReport, CheckLine, ClusterLine, ComparisonLine, ComparisonReport, ConcretePath,
    ConcreteSummary, DoctorReport, FailureReport, ImpossibleLine, MemoryLine, PlaceLine,
    PredictionLine, PredictionReport, ProgramLine, RecordReport,
};
pub use progress::progress_line;
pub use reach::{MetError, ReachInput, ReachProgram, ReachReport, TargetCounts, TargetLine};
pub use sample::Sample;
pub use summary::{
    PathEnd, Paths, Phase, RunSummary, Search, SolverLayer, SolverUse, Undefined, Usage,
};
pub use text::{Colour, SummaryText};
