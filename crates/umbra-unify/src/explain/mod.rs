//! What became of two programs, as values for people to look at.
//!
//! For each changed function the old and the new text side by side, with a mark for each line: what was matched, what
//! differs inside a match, what one version has alone. Beside it: types whose layout differs.

mod kinds;
mod rows;
mod types;

use std::collections::BTreeMap;

use umbra_ir::{FileId, Presence, Program};

use crate::Version;
use crate::code::Code;
use crate::correspondence::{Basis, Strength};
use crate::files::Files;
use crate::lines::{FileEdits, Lines, ReadSource};
use crate::statistics::FunctionStatistics;
use crate::unify::Unified;
use kinds::Kinds;
pub use kinds::{Difference, DifferenceKind};
use rows::rows;
pub use rows::{Mark, Row, SourceLine};
pub use types::ChangedType;

/// What became of two programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// Files whose text differs.
    pub files: Vec<FileEdits>,
    /// Changed functions, in the order of the new text.
    pub functions: Vec<Explained>,
    /// Types whose layout differs.
    pub types: Vec<ChangedType>,
}

/// A changed function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// What it was called in the old version.
    pub old_name: String,
    /// The file and line of the new version.
    pub place: Option<(FileId, u32)>,
    /// Why the two belong together.
    pub basis: Basis,
    /// Numbers.
    pub statistics: FunctionStatistics,
    /// What differs about instructions that belong together.
    pub kinds: BTreeMap<DifferenceKind, u64>,
    /// Blocks that only one version has.
    pub version_blocks: u64,
    /// Both texts, side by side.
    pub rows: Vec<Row>,
}

/// Explains a unification. The programs are those it was made of.
pub fn explain(
    old: &Program,
    new: &Program,
    unified: &Unified,
    read: ReadSource<'_>,
) -> Explanation {
    let files = Files::pair(old, new);
    let lines = Lines::compare(old, new, &files, &|_| true, read);
    let mut texts: BTreeMap<(bool, FileId), Vec<String>> = BTreeMap::new();
    let mut functions = Vec::new();
    for (pair, alignment) in unified.correspondence.changed() {
        let (f, g) = (&old.functions[pair.old], &new.functions[pair.new]);
        let (Some(left), Some(right)) = (&f.body, &g.body) else { continue };
        let all = &unified.statistics.changed;
        let Some(statistics) = all.iter().find(|known| known.function == pair.new) else {
            continue;
        };
        let versions = [(false, Version::Old, old, f), (true, Version::New, new, g)];
        for (side, version, program, function) in versions {
            if let Some(identity) = &function.identity {
                texts.entry((side, identity.file)).or_insert_with(|| {
                    let text = read(version, &program.files[identity.file]).unwrap_or_default();
                    text.lines().map(str::to_owned).collect()
                });
            }
        }
        let (left, right) = (Code::new(old, left), Code::new(new, right));
        let symbols = unified.symbols();
        let kinds = Kinds::new(&left, &right, alignment, symbols);
        let mut differences: BTreeMap<u32, Vec<Difference>> = BTreeMap::new();
        let mut counts: BTreeMap<DifferenceKind, u64> = BTreeMap::new();
        for pair in alignment.pairs.iter().filter(|pair| pair.strength == Strength::Weak) {
            let found = kinds.of(pair);
            found.iter().for_each(|difference| *counts.entry(difference.kind).or_default() += 1);
            if let Some((_, line)) = right.at(pair.new).and_then(|item| right.line(item)) {
                differences.entry(line).or_default().extend(found);
            }
        }
        let merged = unified.program.functions[pair.new].body.iter();
        let alone = |presence| matches!(presence, Presence::Old | Presence::New);
        let blocks = merged.flat_map(|body| body.blocks.values());
        functions.push(Explained {
            old_name: f.identity.as_ref().map_or(&f.name, |identity| &identity.name).clone(),
            place: g.identity.as_ref().map(|identity| (identity.file, identity.line)),
            basis: pair.basis,
            statistics: statistics.clone(),
            kinds: counts,
            version_blocks: blocks.filter(|block| alone(block.presence)).count() as u64,
            rows: rows(old, new, pair, alignment, &lines, &texts, &mut differences),
        });
    }
    functions.sort_by_key(|function| function.place);
    let types = types::changed_types(old, new, unified);
    Explanation { files: lines.edits, functions, types }
}
