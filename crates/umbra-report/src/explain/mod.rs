//! What became of two programs that were made one, for people: what was matched, what became a change, what one
//! version has alone, and, where there was a run, what it reached and where the versions parted.
//!
//! [`ExplainReport::to_text`] is for a terminal, [`ExplainReport::to_html`] one page that needs nothing else.

mod html;
pub(crate) mod source;
mod text;

use crate::numbers::counted;

/// What became of two programs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExplainReport {
    /// What the user calls the old program.
    pub old: String,
    /// What the user calls the new program.
    pub new: String,
    /// Files whose text differs.
    pub files: Vec<FileLine>,
    /// Functions that both versions have and that do the same.
    pub shared: u64,
    /// Functions that differ.
    pub functions: Vec<FunctionReport>,
    /// Functions of the program that only the new version has.
    pub added: Vec<SymbolLine>,
    /// Functions of the program that only the old version has.
    pub removed: Vec<SymbolLine>,
    /// Functions of libraries that only one version has.
    pub library: u64,
    /// Variables and constants whose size or first contents differ.
    pub globals: Vec<SymbolLine>,
    /// Types whose layout differs.
    pub types: Vec<TypeLine>,
    /// Differences that mean nothing, by kind.
    pub noise: Vec<(String, u64)>,
    /// What a run came to, if there was one.
    pub run: Option<RunReport>,
}

/// What the diff of one file comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileLine {
    /// The file in the new version.
    pub name: String,
    /// What it was called, if that is something else.
    pub old_name: Option<String>,
    /// Runs of lines that differ.
    pub hunks: u64,
    /// Lines that are gone.
    pub removed: u64,
    /// Lines that came.
    pub added: u64,
}

/// A function or variable, and something about it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SymbolLine {
    /// Its name in the source text.
    pub name: String,
    /// Where it is, or what is different about it.
    pub detail: String,
}

/// A type whose layout differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TypeLine {
    /// Its name.
    pub name: String,
    /// What is different.
    pub detail: String,
    /// Functions that changed because of it, though nobody edited them.
    pub ripples: Vec<String>,
}

/// A function that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionReport {
    /// Its name.
    pub name: String,
    /// What it was called, if that is something else.
    pub old_name: Option<String>,
    /// File and line in the new version.
    pub place: String,
    /// Why the two belong together.
    pub basis: String,
    /// Instructions that are equal.
    pub equal: u64,
    /// Instructions that belong together, and something about them differs.
    pub weak: u64,
    /// Instructions of the old version alone.
    pub old_alone: u64,
    /// Instructions of the new version alone.
    pub new_alone: u64,
    /// Operands that became changes.
    pub changes: u64,
    /// Places where the versions go their own ways.
    pub version_branches: u64,
    /// Blocks that only one version has.
    pub version_blocks: u64,
    /// What differs about instructions that belong together, by kind.
    pub kinds: Vec<(String, u64)>,
    /// Nobody edited it.
    pub ripples: bool,
    /// It is kept as two copies.
    pub two_copies: bool,
    /// Both texts, side by side.
    pub rows: Vec<RowLine>,
}

/// Two lines side by side.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowLine {
    /// The line of the old text.
    pub old: Option<Cell>,
    /// The line of the new text.
    pub new: Option<Cell>,
    /// What became a change in it.
    pub notes: Vec<String>,
    /// What a run did there.
    pub run: Option<RowRun>,
}

/// A line of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cell {
    /// Its number.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// What is said of it.
    pub mark: LineMark,
}

/// What is said of a line: the greatest of all its instructions counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum LineMark {
    /// It has no code.
    #[default]
    None,
    /// All its instructions are equal.
    Equal,
    /// Some of its instructions differ in something.
    Changed,
    /// Some of its instructions are of this version alone.
    Alone,
}

/// What a run did at a line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowRun {
    /// A change in it ran.
    pub reached: bool,
    /// The tests that reach it.
    pub tests: Vec<String>,
    /// The versions part here: what is said of it.
    pub parted: Vec<String>,
}

/// What a run came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunReport {
    /// How it was run, in words.
    pub manner: String,
    /// Lines with changes that were reached.
    pub reached: u64,
    /// All lines with changes.
    pub changes: u64,
    /// Tests that touch a change.
    pub tests: u64,
    /// Tests that were followed.
    pub followed: u64,
    /// The share of instructions that both versions did at once, before they parted.
    pub lockstep: f64,
    /// How often they were run one after the other.
    pub partings: u64,
    /// Ways that were different and led to the same place.
    pub forgotten: u64,
    /// Where they part, what matters most first.
    pub divergences: Vec<SymbolLine>,
}

impl ExplainReport {
    /// Instructions of changed functions that became one, in thousandths.
    pub fn share(&self) -> u64 {
        let sum = |count: fn(&FunctionReport) -> u64| self.functions.iter().map(count).sum::<u64>();
        let both = sum(|f| f.equal + f.weak);
        let alone = sum(|f| f.old_alone + f.new_alone);
        (2000 * both).checked_div(2 * both + alone).unwrap_or(1000)
    }

    fn sum(&self, count: fn(&FunctionReport) -> u64) -> u64 {
        self.functions.iter().map(count).sum()
    }

    /// What differs about instructions that belong together, by kind, the most frequent first.
    fn kinds(&self) -> Vec<(String, u64)> {
        let mut kinds: Vec<(String, u64)> = Vec::new();
        for (name, count) in self.functions.iter().flat_map(|function| &function.kinds) {
            match kinds.iter_mut().find(|(known, _)| known == name) {
                Some((_, all)) => *all += count,
                None => kinds.push((name.clone(), *count)),
            }
        }
        kinds.sort_by(|a, b| (b.1, &a.0).cmp(&(a.1, &b.0)));
        kinds
    }
}

impl TypeLine {
    /// "2 functions ripple: f, g".
    fn rippled(&self) -> String {
        let verb = if self.ripples.len() == 1 { "ripples" } else { "ripple" };
        let colon = if self.ripples.is_empty() { "" } else { ": " };
        let count = counted(self.ripples.len() as u64, "function");
        format!("{count} {verb}{colon}{}", self.ripples.join(", "))
    }
}

impl FunctionReport {
    /// Instructions that became one, in thousandths.
    fn share(&self) -> u64 {
        let both = self.equal + self.weak;
        (2000 * both).checked_div(2 * both + self.old_alone + self.new_alone).unwrap_or(1000)
    }
}

impl RowLine {
    fn mark(&self) -> LineMark {
        let mark = |cell: &Option<Cell>| cell.as_ref().map_or(LineMark::None, |cell| cell.mark);
        mark(&self.old).max(mark(&self.new))
    }

    /// Whether there is something to see.
    fn differs(&self) -> bool {
        let text = |cell: &Option<Cell>| cell.as_ref().map(|cell| cell.text.trim().to_owned());
        self.mark() > LineMark::Equal || text(&self.old) != text(&self.new) || self.run.is_some()
    }
}

/// Which rows are shown: those that differ, and some around them.
fn shown(rows: &[RowLine], context: usize) -> Vec<bool> {
    let mut shown = vec![false; rows.len()];
    for at in (0..rows.len()).filter(|&at| rows[at].differs()) {
        let (from, to) = (at.saturating_sub(context), (at + context + 1).min(rows.len()));
        shown[from..to].fill(true);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_around_a_difference_are_shown() {
        let cell = |line, mark| Some(Cell { line, text: "x".to_owned(), mark });
        let row = |mark| RowLine { old: cell(1, mark), new: cell(1, mark), ..RowLine::default() };
        let mut rows = vec![row(LineMark::Equal); 6];
        rows[3] = row(LineMark::Changed);
        assert_eq!(shown(&rows, 1), [false, false, true, true, true, false]);
        assert_eq!(shown(&rows[..3], 1), [false; 3]);
        rows[0].new = None;
        assert_eq!(shown(&rows, 0), [true, false, false, true, false, false]);
    }
}
