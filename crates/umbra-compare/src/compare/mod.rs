//! What differs between two runs of one case, channel by channel.
//!
//! Nothing is normalised: both versions run at the same path, with the same name, process id and
//! host name, so what differs is the program's doing. Only times are looked at with care: that a
//! file was changed during the run counts, not the moment at which it was.

mod tree;
mod verdict;

use std::fmt;

use crate::{Captured, Outcome, SanitizerReport};

pub use verdict::{Judgement, Patience, judge};

/// One thing in which two runs differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Where it shows.
    pub channel: Channel,
    /// What was there in the old version, in a few words.
    pub old: String,
    /// What is there in the new version.
    pub new: String,
}

/// Where a difference shows.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Channel {
    /// How the program ends: status, signal, hang.
    End,
    /// A report of a sanitizer: there is one, or another.
    Report,
    /// Standard output, from this byte on.
    Stdout {
        /// The first byte that differs.
        offset: usize,
    },
    /// Standard error, from this byte on.
    Stderr {
        /// The first byte that differs.
        offset: usize,
    },
    /// Something in the tree that is left behind.
    Tree {
        /// Its path.
        path: Vec<u8>,
        /// What of it differs.
        what: Aspect,
    },
}

/// What of an entry of the tree differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Aspect {
    /// It is there, or it is not.
    Existence,
    /// File, folder, link or something else.
    Kind,
    /// The content of a file, the target of a link.
    Content,
    /// Permission bits.
    Mode,
    /// When it was last modified.
    Time,
    /// How many names it has.
    Links,
}

impl Channel {
    /// The stable name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::End => "end",
            Self::Report => "sanitizer",
            Self::Stdout { .. } => "stdout",
            Self::Stderr { .. } => "stderr",
            Self::Tree { .. } => "tree",
        }
    }

    /// Whether two differences show in the same place, wherever exactly in it.
    fn is_like(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tree { path, what }, Self::Tree { path: other, what: of_other }) => {
                (path, what) == (other, of_other)
            }
            _ => self.name() == other.name(),
        }
    }

    /// Whether both are about names that are there or are not, in the same folder.
    fn is_name_beside(&self, other: &Self) -> bool {
        let folder = |channel: &Self| match channel {
            Self::Tree { path, what: Aspect::Existence } => {
                let length = path.iter().rposition(|byte| *byte == b'/').unwrap_or(0);
                Some(path[..length].to_vec())
            }
            _ => None,
        };
        folder(self).is_some_and(|one| folder(other) == Some(one))
    }
}

impl fmt::Display for Channel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::End | Self::Report => f.write_str(self.name()),
            Self::Stdout { offset } | Self::Stderr { offset } => {
                write!(f, "{} from byte {offset}", self.name())
            }
            Self::Tree { path, what } => {
                let what = match what {
                    Aspect::Existence => "existence",
                    Aspect::Kind => "kind",
                    Aspect::Content => "content",
                    Aspect::Mode => "mode",
                    Aspect::Time => "time",
                    Aspect::Links => "links",
                };
                write!(f, "{what} of {}", path.escape_ascii())
            }
        }
    }
}

/// All differences between the run of the old version and that of the new one.
pub fn compare(old: &Outcome, new: &Outcome) -> Vec<Difference> {
    let mut differences = Vec::new();
    if old.end != new.end {
        let [old, new] = [old, new].map(|outcome| outcome.end.to_string());
        differences.push(Difference { channel: Channel::End, old, new });
    }
    differences.extend(reports(old.report.as_ref(), new.report.as_ref()));
    let stdout = stream(&old.stdout, &new.stdout, |offset| Channel::Stdout { offset });
    let stderr = stream(&old.stderr, &new.stderr, |offset| Channel::Stderr { offset });
    differences.extend(stdout.into_iter().chain(stderr));
    tree::compare(old, new, &mut differences);
    differences
}

/// Reports are the same if they are of one kind in one function: lines move from version to version.
fn reports(old: Option<&SanitizerReport>, new: Option<&SanitizerReport>) -> Option<Difference> {
    let identity = |report: Option<&SanitizerReport>| {
        let report = report?;
        let function = report.stack.iter().find_map(|frame| frame.function.clone());
        Some((report.kind.clone(), function))
    };
    if identity(old) == identity(new) {
        return None;
    }
    let shown = |report: Option<&SanitizerReport>| match report {
        None => "no report".to_owned(),
        Some(report) => match &report.place {
            Some(place) => format!("{} at {}:{}", report.kind, place.file, place.line),
            None => report.kind.clone(),
        },
    };
    Some(Difference { channel: Channel::Report, old: shown(old), new: shown(new) })
}

fn stream(
    old: &Captured,
    new: &Captured,
    channel: impl FnOnce(usize) -> Channel,
) -> Option<Difference> {
    // Two that were cut are equal as far as anyone knows.
    if old.bytes == new.bytes && old.cut == new.cut {
        return None;
    }
    let offset = old.bytes.iter().zip(&new.bytes).take_while(|(one, other)| one == other).count();
    let [old, new] = [old, new].map(|captured| line_at(&captured.bytes, offset));
    Some(Difference { channel: channel(offset), old, new })
}

/// The line around a byte, for people: at most 120 characters of it.
fn line_at(bytes: &[u8], offset: usize) -> String {
    const WIDTH: usize = 120;
    let start = bytes[..offset].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let start = start.max(offset.saturating_sub(WIDTH / 2));
    let rest = &bytes[start..];
    let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    match rest.is_empty() {
        true => "(end)".to_owned(),
        false => printable(&String::from_utf8_lossy(&rest[..end.min(WIDTH)])),
    }
}

/// A text without anything that a terminal would act on.
fn printable(text: &str) -> String {
    let escape = |character: char| match character.is_control() {
        true => character.escape_default().to_string(),
        false => character.to_string(),
    };
    text.chars().map(escape).collect()
}

impl Outcome {
    /// Whether the program did something wrong, by its end or by a sanitizer's report.
    pub fn is_error(&self) -> bool {
        self.end.is_error() || self.report.is_some()
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use umbra_case::Timestamp;

    use super::*;
    use umbra_words::{End, Position};

    use crate::{Tree, Usage};

    /// A run that ends well and writes this.
    pub fn outcome(stdout: &str) -> Outcome {
        Outcome {
            end: End::Exited(0),
            stdout: Captured { bytes: stdout.into(), cut: false },
            stderr: Captured::default(),
            tree: Tree::default(),
            blocks: None,
            report: None,
            began: Timestamp { seconds: 1000, nanoseconds: 0 },
            usage: Usage::default(),
            memory_count: crate::MemoryCount::Seen,
            notes: Vec::new(),
        }
    }

    /// A report of this kind in this line.
    pub fn report(kind: &str, line: u32) -> SanitizerReport {
        SanitizerReport {
            kind: kind.to_owned(),
            place: Some(Position { file: "a.c".to_owned(), line, column: 0 }),
            stack: Vec::new(),
            text: String::new(),
        }
    }

    fn names(old: &Outcome, new: &Outcome) -> Vec<String> {
        compare(old, new).iter().map(|difference| difference.channel.to_string()).collect()
    }

    #[test]
    fn each_channel_shows_its_own() {
        let plain = outcome("a\nb\n");
        assert!(compare(&plain, &plain).is_empty());
        assert_eq!(names(&plain, &outcome("a\nc\n")), ["stdout from byte 2"]);
        let mut other = plain.clone();
        other.stderr.bytes = b"x".to_vec();
        assert_eq!(names(&plain, &other), ["stderr from byte 0"]);
        for end in [End::Exited(1), End::Killed(11), End::Hung] {
            assert_eq!(names(&plain, &Outcome { end, ..plain.clone() }), ["end"]);
        }
        let reported = Outcome { report: Some(report("overflow", 3)), ..plain.clone() };
        assert_eq!(names(&plain, &reported), ["sanitizer"]);
        let moved = Outcome { report: Some(report("overflow", 4)), ..plain.clone() };
        assert!(compare(&reported, &moved).is_empty(), "a line that moved");
        let another = Outcome { report: Some(report("use-after-free", 3)), ..plain };
        assert_eq!(names(&reported, &another), ["sanitizer"]);
    }

    #[test]
    fn what_is_no_behaviour_does_not_count() {
        let plain = outcome("a");
        let mut other = plain.clone();
        other.usage.peak_memory = 1;
        other.began.seconds += 10;
        other.blocks = Some(crate::Blocks(vec![1]));
        assert!(compare(&plain, &other).is_empty());
    }

    #[test]
    fn the_lines_around_a_difference_are_shown() {
        let [difference] = &compare(&outcome("one\ntwo\n"), &outcome("one\ntwenty\n"))[..] else {
            panic!("one difference");
        };
        assert_eq!((&*difference.old, &*difference.new), ("two", "twenty"));
        let [shorter] = &compare(&outcome("one\n"), &outcome("one\ntwo\n"))[..] else {
            panic!("one difference");
        };
        assert_eq!((&*shorter.old, &*shorter.new), ("(end)", "two"));
        let [coloured] = &compare(&outcome("a\n"), &outcome("\x1b[1ma\n"))[..] else {
            panic!("one difference");
        };
        assert_eq!(coloured.new, r"\u{1b}[1ma");
        let mut cut = outcome("a");
        cut.stdout.cut = true;
        assert_eq!(names(&outcome("a"), &cut), ["stdout from byte 1"]);
    }
}
