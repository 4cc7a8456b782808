//! Two texts side by side.

use std::collections::BTreeMap;

use umbra_ir::{FileId, Function, Program};

use super::kinds::Difference;
use crate::code::Code;
use crate::correspondence::{Alignment, FunctionPair, Place, Strength};
use crate::lines::{Lines, line_of};

/// Two lines side by side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The line of the old text.
    pub old: Option<SourceLine>,
    /// The line of the new text.
    pub new: Option<SourceLine>,
    /// What differs about instructions of the new line that belong to one of the old version.
    pub differences: Vec<Difference>,
}

/// A line of one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// Its number.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// What is said of it.
    pub mark: Mark,
}

/// What is said of a line; the greatest of all its instructions counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mark {
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

#[allow(clippy::too_many_arguments, reason = "all of it is of one function")]
pub fn rows(
    old: &Program,
    new: &Program,
    pair: &FunctionPair,
    alignment: &Alignment,
    lines: &Lines,
    texts: &BTreeMap<(bool, FileId), Vec<String>>,
    differences: &mut BTreeMap<u32, Vec<Difference>>,
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
    let text = |side: bool, file: FileId, line: u32, marks: &BTreeMap<u32, Mark>| {
        let text = texts.get(&(side, file)).and_then(|text| text.get(line as usize - 1));
        let mark = marks.get(&line).copied().unwrap_or_default();
        SourceLine { line, text: text.cloned().unwrap_or_default(), mark }
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
        let found = if take_new { differences.remove(&b).unwrap_or_default() } else { Vec::new() };
        rows.push(Row {
            old: take_old.then(|| text(false, left.file, a, &old_marks)),
            new: take_new.then(|| text(true, right.file, b, &new_marks)),
            differences: found,
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
                    let differences = [a.differences, b.differences].concat();
                    out.push(Row { old: a.old, new: b.new, differences });
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_hunk_are_side_by_side() {
        let line = |line: u32| SourceLine { line, text: String::new(), mark: Mark::None };
        let row = |old: u32, new: u32| Row {
            old: (old > 0).then(|| line(old)),
            new: (new > 0).then(|| line(new)),
            differences: Vec::new(),
        };
        let rows = vec![row(1, 1), row(2, 0), row(3, 0), row(0, 2), row(4, 3)];
        let number = |side: &Option<SourceLine>| side.as_ref().map_or(0, |line| line.line);
        let numbers: Vec<_> =
            beside(rows).iter().map(|row| (number(&row.old), number(&row.new))).collect();
        assert_eq!(numbers, vec![(1, 1), (2, 2), (3, 0), (4, 3)]);
    }
}
