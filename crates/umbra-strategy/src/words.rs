//! From the engine's words to those of results.

use umbra_engine::{Place as CodePlace, Termination};
use umbra_words::{Class, End, Fault, Place};

/// How a path ended, as a test case predicts it.
pub fn end_of(termination: &Termination) -> End {
    match termination {
        Termination::Exited(status) => End::Exited(*status),
        Termination::Killed(signal) => End::Killed(*signal),
        Termination::Error(report) => End::Error(Box::new(Fault {
            kind: report.kind.name().to_owned(),
            place: report.stack.first().map(place_of).unwrap_or_default(),
            message: report.to_string(),
            stack: report.stack.iter().map(ToString::to_string).collect(),
        })),
        Termination::Unsupported { what, .. } => End::Cut { reason: what.clone() },
        other => End::Cut { reason: other.name().to_owned() },
    }
}

/// The line of a place in the code.
pub fn place_of(place: &CodePlace) -> Place {
    Place { file: place.file.clone(), line: place.line }
}

/// What it is if the versions end like this and leave different things behind.
pub(crate) fn class_of(old: &Termination, new: &Termination) -> Class {
    Class::of_errors(is_error(old), is_error(new))
}

/// As [`End::is_error`] of [`end_of`], without making its texts.
fn is_error(termination: &Termination) -> bool {
    match termination {
        Termination::Error(_) => true,
        Termination::Killed(signal) => End::is_fault(*signal),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_fails_decides() {
        let (fine, crash, end) =
            (Termination::Exited(1), Termination::Killed(11), Termination::Killed(15));
        let classes = [(&fine, &crash), (&crash, &fine), (&crash, &crash), (&fine, &end)]
            .map(|(old, new)| class_of(old, new).name());
        assert_eq!(classes, ["regression", "fix", "output-difference", "output-difference"]);
    }

    #[test]
    fn a_termination_is_as_wrong_as_its_end() {
        let all = [
            Termination::Exited(1),
            Termination::Killed(11),
            Termination::Killed(15),
            Termination::Unsupported { what: "x".to_owned(), stack: Vec::new() },
            Termination::Limit("alone"),
            Termination::Excluded,
        ];
        for termination in all {
            assert_eq!(is_error(&termination), end_of(&termination).is_error(), "{termination:?}");
        }
    }
}
