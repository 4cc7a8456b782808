//! Clauses, one after the other in one vector.
//!
//! A clause is two words of header and its literals. The header holds the length and, for learnt
//! clauses, the number of decision levels its literals came from. Header words are stored in the
//! guise of literals, so that a clause can be lent out as a slice of literals.

use super::Literal;

const HEADER: usize = 2;
const LEARNT: u32 = 1;
const REMOVED: u32 = 2;
const LEVELS_SHIFT: u32 = 2;

/// The place of a clause in an [`Arena`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClauseRef(u32);

impl ClauseRef {
    /// No clause: the reason of a decision, an assumption or a fact.
    pub(super) const NONE: ClauseRef = ClauseRef(u32::MAX);

    /// The place with one bit of information below.
    pub(super) fn tagged(self, tag: bool) -> u32 {
        self.0 << 1 | u32::from(tag)
    }

    pub(super) fn from_tagged(tagged: u32) -> Self {
        Self(tagged >> 1)
    }

    fn at(self) -> usize {
        self.0 as usize
    }
}

/// The clauses of a solver.
#[derive(Debug, Default)]
pub(super) struct Arena {
    words: Vec<Literal>,
}

impl Arena {
    pub(super) fn clear(&mut self) {
        self.words.clear();
    }

    pub(super) fn words(&self) -> usize {
        self.words.len()
    }

    /// Adds a clause; a learnt one comes with its number of decision levels.
    pub(super) fn add(&mut self, literals: &[Literal], learnt: Option<u32>) -> ClauseRef {
        // Tagging takes one bit of the 32.
        assert!(self.words.len() < 1 << 31, "clauses take more than 8 GiB");
        let clause = ClauseRef(self.words.len() as u32);
        let flags = learnt.map_or(0, |levels| levels << LEVELS_SHIFT | LEARNT);
        self.words.push(Literal::from_raw(literals.len() as u32));
        self.words.push(Literal::from_raw(flags));
        self.words.extend_from_slice(literals);
        clause
    }

    pub(super) fn literals(&self, clause: ClauseRef) -> &[Literal] {
        let start = clause.at() + HEADER;
        &self.words[start..start + self.words[clause.at()].raw() as usize]
    }

    pub(super) fn literals_mut(&mut self, clause: ClauseRef) -> &mut [Literal] {
        let start = clause.at() + HEADER;
        let end = start + self.words[clause.at()].raw() as usize;
        &mut self.words[start..end]
    }

    fn flags(&self, clause: ClauseRef) -> u32 {
        self.words[clause.at() + 1].raw()
    }

    pub(super) fn is_learnt(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & LEARNT != 0
    }

    pub(super) fn is_removed(&self, clause: ClauseRef) -> bool {
        self.flags(clause) & REMOVED != 0
    }

    pub(super) fn levels(&self, clause: ClauseRef) -> u32 {
        self.flags(clause) >> LEVELS_SHIFT
    }

    /// Lowers the number of decision levels of a learnt clause.
    pub(super) fn set_levels(&mut self, clause: ClauseRef, levels: u32) {
        let flags = self.flags(clause) & (LEARNT | REMOVED) | levels << LEVELS_SHIFT;
        self.words[clause.at() + 1] = Literal::from_raw(flags);
    }

    pub(super) fn remove(&mut self, clause: ClauseRef) {
        let flags = self.flags(clause) | REMOVED;
        self.words[clause.at() + 1] = Literal::from_raw(flags);
    }

    /// Squeezes out the removed clauses and tells where the others went.
    pub(super) fn compact(&mut self) -> Moved {
        let mut moved = Moved { starts: Vec::new() };
        let (mut from, mut to) = (0, 0);
        while from < self.words.len() {
            let size = HEADER + self.words[from].raw() as usize;
            if !self.is_removed(ClauseRef(from as u32)) {
                if moved.starts.last().is_none_or(|&(old, new)| from - old != to - new) {
                    moved.starts.push((from, to));
                }
                self.words.copy_within(from..from + size, to);
                to += size;
            }
            from += size;
        }
        self.words.truncate(to);
        moved
    }
}

/// Where clauses went in a compaction.
pub(super) struct Moved {
    /// Old and new place of the first clause of every run that moved by the same distance.
    starts: Vec<(usize, usize)>,
}

impl Moved {
    /// The new place of a clause that was not removed.
    pub(super) fn place(&self, clause: ClauseRef) -> ClauseRef {
        if clause == ClauseRef::NONE {
            return clause;
        }
        let run = self.starts.partition_point(|&(old, _)| old <= clause.at()) - 1;
        let (old, new) = self.starts[run];
        ClauseRef((clause.at() - old + new) as u32)
    }
}
