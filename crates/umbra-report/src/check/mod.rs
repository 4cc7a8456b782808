//! The report of `umbra check`: one model, and every form that is made of it.

mod cobertura;
mod compare;
mod file;
#[cfg(test)]
mod hostile;
mod html;
mod json;
mod junit;
mod lcov;
mod log;
mod markdown;
mod model;
mod runs;
mod sample;
mod sarif;
mod text;
mod wording;
mod xml;

pub use log::{Checked, LogLine, LogReport};
pub use model::{
    Behaviour, ChangedLines, CheckFinding, CheckReport, CheckedProgram, EffectLine, Event, Excerpt,
    HunkAnswer, HunkLine, HunkReport, InputPart, LaterOn, LineSort, PatchFile, Piece, RevisionLine,
    Stage, StageEnd, StageLine, Stream,
};
pub use sample::sample_check;
