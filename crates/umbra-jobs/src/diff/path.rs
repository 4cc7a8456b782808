//! From the decisions on a path to the lines of a report.

use umbra_engine::{Described, Image, Mode, Trail};
use umbra_report::{PathLine, PathLines, PathWay};
use umbra_words::Version;

/// Decisions of a path that are looked at, the newest ones: only a few lines of them are shown.
const MOST: usize = 10_000;

/// The path in a few lines.
pub fn describe(image: &Image, trail: &Trail) -> PathLines {
    let mut newest = trail.newest_first();
    let lines = newest.by_ref().take(MOST).map(|(decision, times)| {
        let version = match decision.version {
            Mode::Both => None,
            Mode::Old => Some(Version::Old),
            Mode::New => Some(Version::New),
        };
        let described = image.describe(decision);
        let way = way(&described);
        let place = described.place;
        PathLine {
            function: place.function,
            file: place.file,
            line: place.line,
            column: place.column,
            way,
            version,
            times: times.into(),
        }
    });
    let mut lines: Vec<PathLine> = lines.collect();
    lines.reverse();
    let older: u64 = newest.map(|(_, times)| u64::from(times)).sum();
    let mut path = PathLines::of(&lines);
    path.left_out += older;
    path
}

fn way(described: &Described) -> PathWay {
    match (&described.within, &described.to) {
        (Some(function), _) => PathWay::Within(function.clone()),
        (None, Some(to)) if to.function != described.place.function => {
            PathWay::Into(to.function.clone())
        }
        (None, Some(to)) if to.line != 0 => PathWay::To(to.line, to.column),
        (None, _) => PathWay::Unknown,
    }
}
