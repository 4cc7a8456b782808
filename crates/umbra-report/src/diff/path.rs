//! The path to a divergence in a few lines.

use std::fmt::{self, Write};

use serde::{Deserialize, Serialize};
use umbra_text::Show;
use umbra_words::Version;

/// Lines that are shown of a path: its last ones, which are the nearest to the divergence.
const SHOWN: usize = 12;

/// Lines that may repeat together, as the branches in the body of a loop do.
const BODY: usize = 6;

/// A branch on inputs, taken once or several times.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathLine {
    /// The function that it is in.
    pub function: String,
    /// The file; empty if unknown.
    pub file: String,
    /// The line; 0 if unknown.
    pub line: u32,
    /// The column; 0 if unknown.
    pub column: u32,
    /// Where it led.
    pub way: PathWay,
    /// The version whose branch it is; `None` if both went that way.
    pub version: Option<Version>,
    /// How often it was taken, on the whole.
    pub times: u64,
}

/// Where a branch led.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum PathWay {
    /// Somewhere else than the other version, or the compiler does not say.
    #[default]
    Unknown,
    /// To this line and column of the same function.
    To(u32, u32),
    /// Into this function.
    Into(String),
    /// It is one of several inside a library, in the call of this function.
    Within(String),
}

/// The last branches of a path.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PathLines {
    /// The branches, the oldest first.
    pub lines: Vec<PathLine>,
    /// How many were taken before these.
    pub left_out: u64,
}

impl PathLines {
    /// The end of a path of which all branches are given, the oldest first. Those that repeat,
    /// alone or with others, are folded.
    pub fn of(all: &[PathLine]) -> Self {
        let mut lines = fold(all);
        let left_out = lines.len().saturating_sub(SHOWN);
        let left_out = lines.drain(..left_out).map(|line| line.times).sum();
        Self { lines, left_out }
    }

    /// A sentence for each branch.
    pub fn to_lines(&self) -> Vec<String> {
        let text = |line: &PathLine| {
            let mut text = String::new();
            // A string takes everything.
            let _ = line.write(&mut text);
            text.trim().to_owned()
        };
        self.lines.iter().map(text).collect()
    }

    pub(super) fn write(&self, out: &mut String) -> fmt::Result {
        match (self.lines.is_empty(), self.left_out) {
            (true, _) => return writeln!(out, "  without a branch on inputs before"),
            (false, 0) => writeln!(out, "  by way of")?,
            (false, 1) => writeln!(out, "  by way of, after 1 other branch on inputs")?,
            (false, more) => writeln!(out, "  by way of, after {more} other branches on inputs")?,
        }
        for line in &self.lines {
            line.write(out)?;
        }
        Ok(())
    }
}

impl PathLine {
    /// Whether another is the same branch, taken the same way.
    fn is_like(&self, other: &Self) -> bool {
        let place = |line: &Self| (line.line, line.column, line.version);
        place(self) == place(other)
            && (&self.way, &self.function, &self.file) == (&other.way, &other.function, &other.file)
    }

    fn write(&self, out: &mut String) -> fmt::Result {
        write!(out, "    {}", self.function.shown())?;
        let shown = self.file.shown();
        match (self.file.as_str(), self.line, self.column) {
            ("", ..) => {}
            (_, 0, _) => write!(out, " at {shown}")?,
            (_, line, 0) => write!(out, " at {shown}:{line}")?,
            (_, line, column) => write!(out, " at {shown}:{line}:{column}")?,
        }
        if let Some(version) = self.version {
            write!(out, ", {}", version.name())?;
        }
        match (&self.way, self.times) {
            (PathWay::Within(function), 1) => return writeln!(out, ", 1 branch within {function}"),
            (PathWay::Within(function), times) => {
                return writeln!(out, ", {times} branches within {function}");
            }
            (PathWay::Unknown, _) => write!(out, ", elsewhere")?,
            // A line that says two things needs the column to tell them apart.
            (PathWay::To(line, column), _) if *line == self.line => {
                write!(out, ", to {line}:{column}")?;
            }
            (PathWay::To(line, _), _) => write!(out, ", to line {line}")?,
            (PathWay::Into(function), _) => write!(out, ", into {function}")?,
        }
        match self.times {
            1 => writeln!(out),
            times => writeln!(out, ", {times} times"),
        }
    }
}

/// Folds what repeats: each line then says how often on the whole.
fn fold(all: &[PathLine]) -> Vec<PathLine> {
    let mut folded = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let rounds = |body: usize| {
            let next = |round: &usize| {
                let start = at + round * body;
                let round = all.get(start..start + body);
                round.is_some_and(|round| round.iter().zip(&all[at..]).all(|(a, b)| a.is_like(b)))
            };
            (1..).take_while(next).count() + 1
        };
        // What is folded most; of equals the smallest body.
        let (body, rounds) = (1..=BODY)
            .map(|body| (body, rounds(body)))
            .filter(|(_, rounds)| *rounds > 1)
            .min_by_key(|(body, rounds)| (usize::MAX - body * rounds, *body))
            .unwrap_or((1, 1));
        for position in at..at + body {
            let times = (0..rounds).map(|round| all[position + round * body].times).sum();
            folded.push(PathLine { times, ..all[position].clone() });
        }
        at += body * rounds;
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A letter is a branch, a number how often it was taken.
    fn path(text: &str) -> Vec<PathLine> {
        let words = text.split_whitespace();
        let lines = words.map(|word| PathLine {
            function: word[..1].to_owned(),
            times: word[1..].parse().unwrap_or(1),
            ..PathLine::default()
        });
        lines.collect()
    }

    #[test]
    fn what_repeats_is_folded() {
        for (all, folded) in [
            ("", ""),
            ("a b c", "a b c"),
            ("a a a b", "a3 b"),
            ("a b a b a b c", "a3 b3 c"),
            ("x a b a b a", "x a2 b2 a"),
            ("a b2 c a b3 c", "a2 b5 c2"),
            ("a2 b a2 b", "a4 b2"),
            ("a b c d e f g a b c d e f g", "a b c d e f g a b c d e f g"),
        ] {
            assert_eq!(fold(&path(all)), path(folded), "{all}");
        }
    }

    #[test]
    fn the_end_of_a_long_path_is_kept_and_the_rest_is_counted() {
        let letters = "abcdefghijklmnopqrst";
        let text: String = letters.chars().map(|letter| format!("{letter}2 ")).collect();
        let PathLines { lines, left_out } = PathLines::of(&path(&text));
        assert_eq!((lines.len(), left_out), (SHOWN, 2 * (letters.len() - SHOWN) as u64));
        assert_eq!(lines.last().map(|line| line.function.as_str()), Some("t"));
    }

    #[test]
    fn a_line_says_where_and_which_way() {
        let place = || PathLine {
            function: "main".to_owned(),
            file: "a.c".to_owned(),
            line: 7,
            column: 3,
            times: 1,
            ..PathLine::default()
        };
        let (old, within) = (Some(Version::Old), PathWay::Within("atoi".to_owned()));
        let cases = [
            (PathLine { way: PathWay::To(9, 2), ..place() }, "main at a.c:7:3, to line 9"),
            (PathLine { way: PathWay::To(7, 12), ..place() }, "main at a.c:7:3, to 7:12"),
            (
                PathLine { way: PathWay::To(9, 2), version: old, times: 4, ..place() },
                "main at a.c:7:3, old, to line 9, 4 times",
            ),
            (PathLine { way: within.clone(), ..place() }, "main at a.c:7:3, 1 branch within atoi"),
            (
                PathLine { way: within, times: 5, ..place() },
                "main at a.c:7:3, 5 branches within atoi",
            ),
            (PathLine { way: PathWay::Into("f".to_owned()), ..place() }, "main at a.c:7:3, into f"),
        ];
        for (line, expected) in cases {
            let mut out = String::new();
            line.write(&mut out).unwrap();
            assert_eq!(out.trim(), expected);
        }
    }
}
