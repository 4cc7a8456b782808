//! The report of `umbra check`: one model, and every form that is made of it.

mod file;
mod model;
mod sample;

pub use model::{
    Behaviour, CheckFinding, CheckReport, CheckedProgram, EffectLine, Event, Excerpt, HunkAnswer,
    HunkLine, HunkReport, InputPart, LineSort, PatchFile, Piece, RevisionLine, Stage, StageEnd,
    StageLine, Stream,
};
pub use sample::sample_check;
