//! The report of `umbra check`: one model, and every form that is made of it.

mod model;

pub use model::{
    Behaviour, CheckFinding, CheckReport, CheckedProgram, EffectLine, Event, Excerpt, HunkAnswer,
    HunkLine, HunkReport, InputPart, LineSort, PatchFile, Piece, RevisionLine, Stage, StageEnd,
    StageLine, Stream,
};
