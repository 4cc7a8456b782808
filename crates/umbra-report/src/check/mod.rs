//! The report of `umbra check`: one model, and every form that is made of it.

mod compare;
mod file;
mod html;
mod json;
mod model;
mod sample;
mod text;
mod wording;

pub use model::{
    Behaviour, ChangedLines, CheckFinding, CheckReport, CheckedProgram, EffectLine, Event, Excerpt,
    HunkAnswer, HunkLine, HunkReport, InputPart, LineSort, PatchFile, Piece, RevisionLine, Stage,
    StageEnd, StageLine, Stream,
};
pub use sample::sample_check;
