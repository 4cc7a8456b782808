//! Pairs whose sides are equal on every input of the path.
//!
//! A pair is one expression for all states, so it is replaced in the state that knows its sides to be equal,
//! and stays a pair in others. Asked for are the pairs that a join has just made, and those because of which the
//! versions would run one after the other. Most are refuted for nothing, by the state's own input; the rest
//! are asked of the solver together: one input on which any of them differs refutes some, and if there is
//! none they are all equal.
//!
//! Which answers there are depends on the state's own input and on what the solver has the time for. So they are noted on
//! the path, as a number with a bit for each pair: a state that is made again takes them from there.

use umbra_expr::{ExprId, IdMap, IdSet, Kind};
use umbra_ir::Id;

use crate::code::Slot;
use crate::fork::Found;
use crate::path::Script;
use crate::step::Machine;

/// Pairs that are looked at in one go: the bits of a number.
const MOST: usize = 64;

/// Questions that are asked about them.
const QUESTIONS: usize = 4;

/// A pair that the solver has refuted so often is not asked about any more.
const PATIENCE: u8 = 3;

/// A pair, and the condition under which its sides differ.
struct Open {
    pair: ExprId,
    differs: ExprId,
    bit: u32,
}

impl Machine<'_> {
    /// Those of some expressions with pairs which are the same in both versions on this path, with what they are.
    pub(super) fn equal_pairs(&mut self, values: &[ExprId]) -> IdMap<ExprId, ExprId> {
        let mut seen = IdSet::default();
        let mut open: Vec<Open> = Vec::new();
        for &pair in values {
            if open.len() == MOST {
                break;
            }
            if !self.shared.expressions.contains_pair(pair) || !seen.insert(pair) {
                continue;
            }
            let expressions = &mut self.shared.expressions;
            let (old, new) = (expressions.project_old(pair), expressions.project_new(pair));
            // An array is compared by nobody.
            if expressions.kind(old) == Kind::Array || expressions.width(old) == 0 {
                continue;
            }
            let differs = expressions.ne(old, new);
            if expressions.constant_u64(differs) != Some(1) {
                open.push(Open { pair, differs, bit: open.len() as u32 });
            }
        }
        if open.is_empty() {
            return IdMap::default();
        }
        let bits = match self.forks.script().map(Script::number) {
            Some(bits) => bits,
            None => self.ask_for_equal(&open),
        };
        self.state.path.note_number(bits);
        let equal = open.iter().filter(|open| bits >> open.bit & 1 == 1);
        let equal: IdMap<ExprId, ExprId> =
            equal.map(|open| (open.pair, self.shared.expressions.project_new(open.pair))).collect();
        self.shared.lockstep.settled += equal.len() as u64;
        equal
    }

    /// Finds out which pairs are equal, within a budget.
    fn ask_for_equal(&mut self, pairs: &[Open]) -> u64 {
        let mut open: Vec<&Open> = Vec::new();
        for pair in pairs {
            let doubts = self.shared.doubts.get(&pair.pair).copied().unwrap_or(0);
            if doubts < PATIENCE && self.evaluate(pair.differs) == 0 {
                open.push(pair);
            }
        }
        for _ in 0..QUESTIONS {
            if open.is_empty() {
                break;
            }
            let expressions = &mut self.shared.expressions;
            let none = expressions.false_();
            let any = open.iter().fold(none, |any, pair| expressions.or(any, pair.differs));
            match self.forks.find(self.shared, &self.state.path, any) {
                Found::Nowhere => return open.iter().fold(0, |bits, pair| bits | 1 << pair.bit),
                Found::Input(input) => {
                    let mut values = self.shared.evaluation(&input);
                    let refuted: Vec<bool> =
                        open.iter().map(|pair| values.is_true(pair.differs)).collect();
                    for (pair, _) in open.iter().zip(&refuted).filter(|(_, refuted)| **refuted) {
                        *self.shared.doubts.entry(pair.pair).or_default() += 1;
                    }
                    let mut refuted = refuted.into_iter();
                    open.retain(|_| !refuted.next().unwrap_or_default());
                }
                Found::Unknown => {
                    for pair in open {
                        self.shared.doubts.insert(pair.pair, PATIENCE);
                    }
                    break;
                }
            }
        }
        0
    }

    /// The operation at `pc` is about to be done by each version alone. If what it reads turns out to be the same
    /// in both, it need not be: then says so, and its slots hold that.
    pub(super) fn settle_operands(&mut self) -> bool {
        let equal = self.equal_pairs(&self.pairs_read());
        !equal.is_empty() && self.replace_in_frame(&equal)
    }

    /// Replaces expressions in the slots of the current call; says whether there were any.
    pub(super) fn replace_in_frame(&mut self, equal: &IdMap<ExprId, ExprId>) -> bool {
        let Some(frame) = self.state.frames.last() else { return false };
        let base = frame.base as usize;
        let mut found = false;
        let slots = self.image.functions[frame.function.index()].frame as usize;
        for slot in 0..slots {
            let held = self.state.values[base + slot];
            if let Some(&same) = held.and_then(|value| equal.get(&value)) {
                found = true;
                self.put(slot as Slot, same);
            }
        }
        found
    }
}
