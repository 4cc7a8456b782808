//! What divergences and their ends are called in reports.

use umbra_engine::{Cause, Divergence, Termination};
use umbra_strategy::Output;

use super::collect::own_place;

/// Where the difference is, without the position: a cluster is about the stream or the file.
pub fn stream_of(output: &Output) -> String {
    let text = output.to_string();
    text.split(", byte").next().unwrap_or_default().to_owned()
}

/// Why the versions parted.
pub fn cause_of(divergence: &Divergence) -> String {
    match &divergence.cause {
        Cause::Branch => "the versions take different branches".to_owned(),
        Cause::Call => "the versions call different functions".to_owned(),
        Cause::Places => "the versions reach different places".to_owned(),
        Cause::OldEnded(Termination::Error(report)) => {
            format!("the old version fails: {}", report.kind)
        }
        Cause::OldEnded(_) => "the old version ends".to_owned(),
        Cause::NewEnded => "the new version ends".to_owned(),
        Cause::OldLost => "the old version may not terminate".to_owned(),
        Cause::NewLost => "the new version may not terminate".to_owned(),
    }
}

/// How a version fails, if it does.
pub fn failure_of(version: &str, termination: &Termination) -> Option<String> {
    let Termination::Error(report) = termination else { return None };
    let place = own_place(&report.stack);
    Some(format!("the {version} one fails: {} at {}:{}", report.kind, place.file, place.line))
}

/// Why a path was not followed to its end, if it was not.
pub fn cut(termination: &Termination) -> Option<String> {
    match termination {
        Termination::Limit(what) => Some(format!("limit on {what}")),
        Termination::Unsupported { what, .. } => Some(format!("unsupported: {what}")),
        Termination::EngineBug(what) => Some(format!("engine bug: {what}")),
        _ => None,
    }
}
