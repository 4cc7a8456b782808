//! What inputs may be compared with: words, bytes and numbers, those of the changed code first.
//!
//! A patch that adds a keyword, an option or a limit names it, in its code or in a table that it changes. Beside these
//! stand the words of the functions that were changed, then those of all of the program's own code. A word of a table has
//! siblings, its other words: what stands for one of them in a test may stand for another.

use std::collections::{BTreeMap, BTreeSet};

use umbra_ir::{
    Block, ConstantValue, Function, GlobalId, Id, Initializer, Operand, Operation, Presence,
    Program, Symbol, Terminator,
};

use crate::own;

/// Bytes of a word.
const LENGTH: std::ops::RangeInclusive<usize> = 1..=32;

/// Words of one table that are taken for siblings at most.
const SIBLINGS: usize = 256;

/// Words of each rank at most.
const MOST: usize = 2000;

/// How near to the changes something stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rank {
    /// In a change, in what one version has alone, or in data that differ.
    Change,
    /// In a function that was changed.
    Function,
    /// Elsewhere in the program's own code.
    Program,
}

impl Rank {
    /// All of them, the nearest first.
    pub const ALL: [Self; 3] = [Self::Change, Self::Function, Self::Program];
}

/// What a program compares its input with.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    words: [Vec<Vec<u8>>; 3],
    tables: Vec<Vec<Vec<u8>>>,
    /// The tables of each word.
    places: BTreeMap<Vec<u8>, Vec<usize>>,
}

impl Lexicon {
    /// That of a program with two versions.
    pub fn new(program: &Program) -> Self {
        let mut found = Finder { program, seen: BTreeSet::new(), words: Default::default() };
        let own: Vec<bool> = program.files.values().map(|file| own::is_own(&file.path())).collect();
        let functions: Vec<&Function> = program
            .functions
            .values()
            .filter(|function| function.identity.as_ref().is_some_and(|it| own[it.file.index()]))
            .collect();
        let mut used = BTreeSet::new();
        found.add_data();
        for rank in Rank::ALL {
            for function in &functions {
                let Some(body) = &function.body else { continue };
                let is_changed = body.blocks.values().any(is_changed);
                let wanted = |block: &Block| match rank {
                    Rank::Change => is_changed && self::is_changed(block),
                    Rank::Function => is_changed,
                    Rank::Program => true,
                };
                for block in body.blocks.values().filter(|block| wanted(block)) {
                    found.add_block(rank, block, &mut used);
                }
            }
        }
        let mut lexicon = Self { words: found.words, ..Self::default() };
        for table in used {
            lexicon.add_table(program, table);
        }
        lexicon
    }

    /// The words, bytes and numbers of a rank, as they would stand in an input.
    pub fn words(&self, rank: Rank) -> &[Vec<u8>] {
        &self.words[rank as usize]
    }

    /// The other words of the tables that a word is in, those beside it first.
    pub fn siblings(&self, word: &[u8]) -> Vec<&[u8]> {
        let mut all: Vec<&[u8]> = Vec::new();
        for table in self.places.get(word).into_iter().flatten().map(|at| &self.tables[*at]) {
            let own = table.iter().position(|other| other == word).unwrap_or(0);
            let mut others: Vec<usize> = (0..table.len()).filter(|at| *at != own).collect();
            others.sort_by_key(|at| at.abs_diff(own));
            all.extend(others.into_iter().map(|at| &*table[at]));
        }
        all
    }

    fn add_table(&mut self, program: &Program, table: GlobalId) {
        let Initializer::Data { relocations, .. } = &program.globals[table].initializer else {
            return;
        };
        let mut words: Vec<Vec<u8>> = Vec::new();
        for relocation in relocations {
            let Symbol::Global(text) = relocation.symbol else { continue };
            words.extend(word(program, text).filter(|word| !words.contains(word)));
        }
        if !(2..=SIBLINGS).contains(&words.len()) {
            return;
        }
        for word in &words {
            self.places.entry(word.clone()).or_default().push(self.tables.len());
            let program = &mut self.words[Rank::Program as usize];
            if program.len() < MOST && !program.contains(word) {
                program.push(word.clone());
            }
        }
        self.tables.push(words);
    }
}

/// Whether the versions differ in a block.
fn is_changed(block: &Block) -> bool {
    matches!(block.presence, Presence::Old | Presence::New)
        || matches!(block.terminator, Terminator::Version { .. })
        || block.instructions.iter().any(|it| matches!(it.operation, Operation::Change { .. }))
}

/// The text of a global, if it is a word.
fn word(program: &Program, global: GlobalId) -> Option<Vec<u8>> {
    let global = &program.globals[global];
    let Initializer::Data { bytes, relocations } = &global.initializer else { return None };
    let is_text = global.constant && relocations.is_empty();
    if is_text { as_word(bytes) } else { None }
}

/// A text that ends in a zero byte, without it, if it is a word.
fn as_word(bytes: &[u8]) -> Option<Vec<u8>> {
    let (0, text) = bytes.split_last()? else { return None };
    let is_word = LENGTH.contains(&text.len())
        && text.iter().all(u8::is_ascii_graphic)
        && !text.contains(&b'%');
    is_word.then(|| text.to_vec())
}

struct Finder<'a> {
    program: &'a Program,
    seen: BTreeSet<Vec<u8>>,
    words: [Vec<Vec<u8>>; 3],
}

impl Finder<'_> {
    fn add(&mut self, rank: Rank, word: Vec<u8>) {
        let words = &mut self.words[rank as usize];
        if words.len() < MOST && !word.is_empty() && self.seen.insert(word.clone()) {
            words.push(word);
        }
    }

    /// What data say in one version only.
    fn add_data(&mut self) {
        let program = self.program;
        for (id, global) in program.globals.iter() {
            let Some(old) = &global.old else { continue };
            let sides = [&old.initializer, &global.initializer];
            let words = sides.map(|initializer| texts(program, id, initializer));
            for (own, other) in [(1, 0), (0, 1)] {
                for word in words[own].iter().filter(|word| !words[other].contains(*word)) {
                    self.add(Rank::Change, word.clone());
                }
            }
        }
    }

    /// What a block compares with or names, and the tables that it uses.
    fn add_block(&mut self, rank: Rank, block: &Block, used: &mut BTreeSet<GlobalId>) {
        for instruction in &block.instructions {
            let operation = &instruction.operation;
            operation.visit_operands(&mut |operand| self.add_text(rank, operand, used));
            match operation {
                Operation::Compare { left, right, .. } => {
                    [*left, *right].into_iter().for_each(|side| self.add_number(rank, side));
                }
                Operation::Change { old, new, .. } => {
                    [*new, *old].into_iter().for_each(|side| self.add_number(rank, side));
                }
                _ => {}
            }
        }
        block.terminator.visit_operands(&mut |operand| self.add_text(rank, operand, used));
        if let Terminator::Switch { cases, .. } = &block.terminator {
            for (constant, _) in cases {
                self.add_number(rank, Operand::Constant(*constant));
            }
        }
    }

    fn add_text(&mut self, rank: Rank, operand: Operand, used: &mut BTreeSet<GlobalId>) {
        let Operand::Constant(id) = operand else { return };
        let ConstantValue::Address { symbol: Symbol::Global(global), .. } =
            self.program.constants[id].value
        else {
            return;
        };
        used.insert(global);
        if let Some(word) = word(self.program, global) {
            self.add(rank, word);
        }
    }

    /// A number that something is compared with, as a byte and in digits; beyond the changed functions there are too many.
    fn add_number(&mut self, rank: Rank, operand: Operand) {
        let Operand::Constant(id) = operand else { return };
        let constant = &self.program.constants[id];
        let ConstantValue::Word(value) = constant.value else { return };
        if rank == Rank::Program {
            return;
        }
        if let Ok(byte) = u8::try_from(value)
            && (byte == 0 || byte == b'\n' || byte == b'\t' || (b' '..=b'~').contains(&byte))
        {
            self.add(rank, vec![byte]);
        }
        // Narrower numbers are negative as those of 32 bits, if at all.
        let signed = if value <= u64::from(u32::MAX) {
            i64::from(value as u32 as i32)
        } else {
            value as i64
        };
        for near in [signed, signed.saturating_add(1), signed.saturating_sub(1)] {
            if near.unsigned_abs() > 1 {
                self.add(rank, near.to_string().into_bytes());
            }
        }
    }
}

/// The words of an initializer: its own text, or the texts that it points to.
fn texts(program: &Program, id: GlobalId, initializer: &Initializer) -> BTreeSet<Vec<u8>> {
    let Initializer::Data { bytes, relocations } = initializer else { return BTreeSet::new() };
    if relocations.is_empty() && program.globals[id].constant {
        return as_word(bytes).into_iter().collect();
    }
    let targets = relocations.iter().filter_map(|it| match it.symbol {
        Symbol::Global(text) => word(program, text),
        Symbol::Function(_) => None,
    });
    targets.collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;

    /// A program of which one version knows a word, and that has a table of words.
    pub fn lexicon() -> Lexicon {
        let text = r#"
            file0 "" "a.c"
            loc0 file0:1:1 @main
            g0 @magic: 6 align 1 constant = "magic\00"
            g1 @gnu: 4 align 1 constant = "gnu\00"
            g2 @oldgnu: 7 align 1 constant = "oldgnu\00"
            g3 @far: 4 align 1 constant = "far\00"
            g4 @table: 16 align 8 = zero 16 with 0: g1, 8: g2
            g5 @renamed: 4 align 1 constant = "new\00" old @renamed: 4 align 1 constant = "old\00"
            fn0 @main(r0: ptr) -> i32 from file0:1 @main {
            bb0 weight 1:
              r1: i32 = change i32 100, i32 120
              version bb1(), bb2()
            bb1 old:
              return i32 0
            bb2 new weight 1:
              store ptr g0, r0
              return i32 1
            }
            fn1 @other(r0: ptr) -> i32 from file0:9 @other {
            bb0 weight 2:
              store ptr g3, r0
              store ptr g4, r0
              return i32 1
            }"#;
        Lexicon::new(&umbra_ir::parse(text).unwrap())
    }

    #[test]
    fn what_the_change_names_comes_first() {
        let lexicon = lexicon();
        let words = |rank| -> Vec<String> {
            let words = lexicon.words(rank).iter();
            words.map(|word| String::from_utf8_lossy(word).into_owned()).collect()
        };
        let change = ["new", "old", "x", "120", "121", "119", "d", "100", "101", "99", "magic"];
        assert_eq!(words(Rank::Change), change);
        assert!(words(Rank::Function).is_empty(), "they are all in the change");
        assert_eq!(words(Rank::Program), ["far", "gnu", "oldgnu"]);
        assert_eq!(lexicon.siblings(b"gnu"), [b"oldgnu"]);
        assert!(lexicon.siblings(b"far").is_empty());
    }
}
