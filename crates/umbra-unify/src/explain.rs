//! What became of two programs, for people.
//!
//! For each changed function the old and the new text side by side, with a mark for each line: what
//! was matched, what differs inside a match, what one version has alone. Runs of lines without a difference are left out.

use std::collections::BTreeMap;
use std::fmt;

use umbra_ir::{FileId, Function, Program};
use umbra_text::Show;

use crate::code::Code;
use crate::correspondence::{Alignment, FunctionPair, Place, Strength};
use crate::files::Files;
use crate::lines::{Lines, ReadSource, line_of};
use crate::statistics::FunctionStatistics;
use crate::unify::Unified;

/// Lines that are shown around a difference.
const CONTEXT: usize = 2;
/// Columns of one text.
const WIDTH: usize = 56;

/// What became of two programs.
pub struct Explanation<'a> {
    unified: &'a Unified,
    functions: Vec<Explained>,
}

/// A changed function.
struct Explained {
    /// The file and line of the new version.
    place: String,
    rows: Vec<Row>,
    statistics: Option<FunctionStatistics>,
}

/// Two lines side by side.
struct Row {
    old: Option<(u32, String)>,
    new: Option<(u32, String)>,
    mark: Mark,
}

/// What is said of a line; the greatest of all its instructions counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Mark {
    /// It has no code.
    #[default]
    None,
    /// All its instructions are equal.
    Equal,
    /// Some of its instructions differ in something.
    Changed,
    /// Some of its instructions are of one version alone.
    Alone,
}

impl Mark {
    fn sign(self) -> char {
        match self {
            Self::None => ' ',
            Self::Equal => '=',
            Self::Changed => '~',
            Self::Alone => '!',
        }
    }
}

/// Explains a unification. The programs are those it was made of.
pub fn explain<'a>(
    old: &Program,
    new: &Program,
    unified: &'a Unified,
    read: ReadSource<'_>,
) -> Explanation<'a> {
    let files = Files::pair(old, new);
    let lines = Lines::compare(old, new, &files, &|_| true, read);
    let mut texts: BTreeMap<(bool, FileId), Vec<String>> = BTreeMap::new();
    let mut functions = Vec::new();
    for (pair, alignment) in unified.correspondence.changed() {
        let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
        for (side, program, function) in [(false, old, f), (true, new, g)] {
            if let Some(identity) = &function.identity {
                texts.entry((side, identity.file)).or_insert_with(|| {
                    let text = read(&program.files[identity.file]).unwrap_or_default();
                    text.lines().map(str::to_owned).collect()
                });
            }
        }
        let rows = rows(old, new, pair, alignment, &lines, &texts);
        let place = g.identity.as_ref().map_or_else(String::new, |identity| {
            format!("{}:{}", new.files[identity.file].path().shown(), identity.line)
        });
        let mut all = unified.statistics.changed.iter();
        let statistics = all.find(|statistics| statistics.function == pair.new).cloned();
        functions.push(Explained { place, rows, statistics });
    }
    Explanation { unified, functions }
}

/// The marks of a function's lines, by line.
fn marks(
    program: &Program,
    function: &Function,
    strengths: &BTreeMap<Place, Strength>,
) -> BTreeMap<u32, Mark> {
    let mut marks: BTreeMap<u32, Mark> = BTreeMap::new();
    let (Some(body), Some(identity)) = (&function.body, &function.identity) else { return marks };
    let code = Code::new(program, body);
    for item in code.ids() {
        let Some((file, line)) = line_of(program, code.location(item)) else { continue };
        let same_file = file == identity.file
            || program.files[file].path() == program.files[identity.file].path();
        if !same_file {
            continue;
        }
        let mark = match strengths.get(&code.items[item as usize]) {
            Some(Strength::Strong) => Mark::Equal,
            Some(Strength::Weak) => Mark::Changed,
            None => Mark::Alone,
        };
        let known = marks.entry(line).or_default();
        *known = (*known).max(mark);
    }
    marks
}

fn rows(
    old: &Program,
    new: &Program,
    pair: &FunctionPair,
    alignment: &Alignment,
    lines: &Lines,
    texts: &BTreeMap<(bool, FileId), Vec<String>>,
) -> Vec<Row> {
    let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
    let (Some(left), Some(right)) = (&f.identity, &g.identity) else { return Vec::new() };
    let pairs = || alignment.pairs.iter();
    let old_marks = marks(old, f, &pairs().map(|pair| (pair.old, pair.strength)).collect());
    let new_marks = marks(new, g, &pairs().map(|pair| (pair.new, pair.strength)).collect());
    let range = |first: u32, marks: &BTreeMap<u32, Mark>| {
        let last = marks.keys().next_back().copied().unwrap_or(first);
        (first, last.max(first))
    };
    let (mut a, a_end) = range(left.line, &old_marks);
    let (mut b, b_end) = range(right.line, &new_marks);
    let text = |side: bool, file: FileId, line: u32| {
        let text = texts.get(&(side, file)).and_then(|text| text.get(line as usize - 1));
        (line, clean(text.map_or("", String::as_str)))
    };
    let mut rows = Vec::new();
    while a <= a_end || b <= b_end {
        let forth = (a <= a_end).then(|| lines.forth((left.file, a))).flatten();
        let back = (b <= b_end).then(|| lines.back((right.file, b))).flatten();
        let (take_old, take_new) = match (forth, back) {
            (Some((_, line)), _) if a <= a_end && b <= b_end && line == b => (true, true),
            (None, _) if a <= a_end => (true, false),
            (_, None) if b <= b_end => (false, true),
            // Lines that moved: the old one first.
            _ if a <= a_end => (true, false),
            _ => (false, true),
        };
        let mark = |marks: &BTreeMap<u32, Mark>, line: u32, taken: bool| match taken {
            true => marks.get(&line).copied().unwrap_or_default(),
            false => Mark::None,
        };
        rows.push(Row {
            old: take_old.then(|| text(false, left.file, a)),
            new: take_new.then(|| text(true, right.file, b)),
            mark: mark(&old_marks, a, take_old).max(mark(&new_marks, b, take_new)),
        });
        a += u32::from(take_old);
        b += u32::from(take_new);
    }
    beside(rows)
}

/// Puts the lines of a hunk side by side: the first that is gone and the first that came, and so on.
fn beside(rows: Vec<Row>) -> Vec<Row> {
    let mut out = Vec::new();
    let (mut gone, mut came): (Vec<Row>, Vec<Row>) = (Vec::new(), Vec::new());
    let flush = |gone: &mut Vec<Row>, came: &mut Vec<Row>, out: &mut Vec<Row>| {
        let (mut gone, mut came) = (gone.drain(..), came.drain(..));
        loop {
            match (gone.next(), came.next()) {
                (Some(a), Some(b)) => {
                    out.push(Row { old: a.old, new: b.new, mark: a.mark.max(b.mark) });
                }
                (Some(row), None) | (None, Some(row)) => out.push(row),
                (None, None) => break,
            }
        }
    };
    for row in rows {
        match (&row.old, &row.new) {
            (Some(_), None) => gone.push(row),
            (None, Some(_)) => came.push(row),
            _ => {
                flush(&mut gone, &mut came, &mut out);
                out.push(row);
            }
        }
    }
    flush(&mut gone, &mut came, &mut out);
    out
}

/// A line of source text for a terminal: tabs are spaces, and there is nothing that moves a cursor.
fn clean(line: &str) -> String {
    let mut out = String::new();
    for letter in line.chars() {
        match letter {
            '\t' => out.push_str(&"    "[out.chars().count() % 4..]),
            letter if letter.is_control() => out.push('?'),
            letter => out.push(letter),
        }
    }
    if out.chars().count() > WIDTH {
        out = out.chars().take(WIDTH - 3).collect::<String>() + "...";
    }
    out
}

impl fmt::Display for Explanation<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let statistics = &self.unified.statistics;
        writeln!(
            f,
            "{} files with {} hunks differ: {} lines removed, {} added",
            statistics.files, statistics.hunks, statistics.lines_removed, statistics.lines_added
        )?;
        writeln!(
            f,
            "functions: {} shared, {} changed, {} added, {} removed; globals: {} changed",
            statistics.shared,
            statistics.changed.len(),
            statistics.added,
            statistics.removed,
            statistics.changed_globals
        )?;
        let share = statistics.share();
        writeln!(
            f,
            "of the instructions of changed functions {}.{} % are one in both versions",
            share / 10,
            share % 10
        )?;
        for (noise, count) in &self.unified.correspondence.noise {
            writeln!(f, "ignored: {} ({count} times)", noise.name())?;
        }
        for function in &self.functions {
            write!(f, "\n{function}")?;
        }
        if !self.functions.is_empty() {
            writeln!(f, "\n= equal   ~ something differs   ! one version alone")?;
        }
        Ok(())
    }
}

impl fmt::Display for Explained {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(s) = &self.statistics else { return Ok(()) };
        writeln!(f, "{} ({})", s.name, self.place)?;
        let how = match (s.two_copies, s.ripples) {
            (true, _) => ", kept as two copies: too little is alike",
            (false, true) => ", no line of it was edited",
            (false, false) => "",
        };
        writeln!(
            f,
            "  instructions: {} equal, {} differ, {} old alone, {} new alone; {} changes, \
             {} version branches{how}",
            s.strong, s.weak, s.old_only, s.new_only, s.changes, s.version_branches
        )?;
        let differs = |row: &Row| row.mark > Mark::Equal || row.old.is_none() || row.new.is_none();
        let shown: Vec<bool> = (0..self.rows.len())
            .map(|at| {
                let near = at.saturating_sub(CONTEXT)..(at + CONTEXT + 1).min(self.rows.len());
                self.rows[near].iter().any(differs)
            })
            .collect();
        let mut skipped = false;
        for (row, shown) in self.rows.iter().zip(shown) {
            if !shown {
                skipped = true;
                continue;
            }
            if std::mem::take(&mut skipped) {
                writeln!(f, "      ...")?;
            }
            let cell = |side: &Option<(u32, String)>| match side {
                Some((line, text)) => format!("{line:5} {text:WIDTH$}"),
                None => " ".repeat(WIDTH + 6),
            };
            let line = format!("{} {} {}", cell(&row.old), row.mark.sign(), cell(&row.new));
            writeln!(f, "{}", line.trim_end())?;
        }
        if skipped {
            writeln!(f, "      ...")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_hunk_are_side_by_side() {
        let row = |old: u32, new: u32, mark| Row {
            old: (old > 0).then(|| (old, String::new())),
            new: (new > 0).then(|| (new, String::new())),
            mark,
        };
        let rows = vec![
            row(1, 1, Mark::Equal),
            row(2, 0, Mark::Changed),
            row(3, 0, Mark::Alone),
            row(0, 2, Mark::Equal),
            row(4, 3, Mark::None),
        ];
        let lines = |row: &Row| {
            let line = |side: &Option<(u32, String)>| side.as_ref().map_or(0, |(line, _)| *line);
            (line(&row.old), line(&row.new), row.mark)
        };
        let found: Vec<_> = beside(rows).iter().map(lines).collect();
        let changed = (2, 2, Mark::Changed);
        assert_eq!(found, [(1, 1, Mark::Equal), changed, (3, 0, Mark::Alone), (4, 3, Mark::None)]);
    }

    #[test]
    fn lines_are_fit_for_a_terminal() {
        assert_eq!(clean("\tif (x)"), "    if (x)");
        assert_eq!(clean("a\tb"), "a   b");
        assert_eq!(clean("\x1b[31m"), "?[31m");
        assert_eq!(clean(&"x".repeat(100)).len(), WIDTH);
    }
}
