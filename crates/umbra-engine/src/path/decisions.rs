//! The decisions on a path, as data.
//!
//! Between two decisions a program has no choice, so a state is where its decisions lead from the start of the
//! program. They are kept on every path: a bit says which side of a question it took, and where the
//! question was made from a value of the state's own input (is it this number, this object, this
//! block?) the value is kept too; so are answers that lead to no side (which pairs are equal). Questions whose answer follows from what holds already are no decisions.

use umbra_expr::ExprId;

use super::List;

/// What was decided on a path.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    /// Sides, 64 to a word.
    words: List<u64>,
    /// The newest sides, the oldest in the lowest bit.
    word: u64,
    /// How many of them there are.
    bits: u32,
    /// What questions were made from, in the order of the sides, and answers that lead to none.
    numbers: List<u64>,
}

impl Decisions {
    /// These sides, and what their questions were made from, the oldest first.
    pub fn new(sides: impl IntoIterator<Item = bool>, numbers: &[u64]) -> Self {
        let mut decisions = Self::default();
        sides.into_iter().for_each(|side| decisions.push(side, &[]));
        numbers.iter().for_each(|&number| decisions.numbers.push(number));
        decisions
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len() * 64 + self.bits as usize
    }

    /// Whether nothing was decided.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The sides that were taken, the oldest first.
    pub fn sides(&self) -> Vec<bool> {
        let words = self.words();
        let sides = words.iter().flat_map(|word| (0..64).map(move |bit| word >> bit & 1 == 1));
        sides.take(self.len()).collect()
    }

    /// The same, 64 to a word, the oldest in the lowest bit of the first one.
    pub fn words(&self) -> Vec<u64> {
        let mut words = self.words.to_vec();
        words.push(self.word);
        words.truncate(self.len().div_ceil(64));
        words
    }

    /// What questions were made from, the oldest first.
    pub fn numbers(&self) -> Vec<u64> {
        self.numbers.to_vec()
    }

    /// How many numbers there are.
    pub fn count_numbers(&self) -> usize {
        self.numbers.len()
    }

    /// Adds a decision, with what its question was made from.
    pub(crate) fn push(&mut self, side: bool, numbers: &[u64]) {
        for &number in numbers {
            self.numbers.push(number);
        }
        self.word |= u64::from(side) << self.bits;
        self.bits += 1;
        if self.bits == 64 {
            self.words.push(std::mem::take(&mut self.word));
            self.bits = 0;
        }
    }

    /// Adds a number of a question that takes no side.
    pub(crate) fn push_number(&mut self, number: u64) {
        self.numbers.push(number);
    }

    /// Bytes that no other path shares.
    pub(crate) fn own_bytes(&self) -> usize {
        self.words.own_bytes() + self.numbers.own_bytes()
    }
}

impl PartialEq for Decisions {
    fn eq(&self, other: &Self) -> bool {
        self.sides() == other.sides() && self.numbers() == other.numbers()
    }
}

impl Eq for Decisions {}

/// Where a state stands that is to be made again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Before a block, some time after its last decision.
    Block,
    /// At the operation that asked for its last decision, which it has yet to do.
    Decision,
    /// At an assumption, which holds on its path.
    Assumption,
}

/// Decisions that a state has yet to make, because another one has made them before.
#[derive(Clone, Debug)]
pub struct Script {
    sides: std::vec::IntoIter<bool>,
    numbers: std::vec::IntoIter<u64>,
    standing: Standing,
    /// Whether the state has come to an operation at which it stands.
    has_arrived: bool,
    /// Whether a decision was another one than before.
    is_wrong: bool,
    /// What holds since the operation at which the state stands, and how much did before.
    goal: Option<(usize, ExprId)>,
    /// The state pauses before the question that would take more sides or numbers than these from it.
    shared: Option<Shared>,
    /// Whether it has.
    has_paused: bool,
}

/// How much of a script is common to several states.
#[derive(Clone, Copy, Debug)]
struct Shared {
    sides: usize,
    numbers: usize,
}

impl Script {
    /// For a state that has made these decisions and stands there.
    pub fn new(decisions: &Decisions, standing: Standing) -> Self {
        Self {
            sides: decisions.sides().into_iter(),
            numbers: decisions.numbers().into_iter(),
            standing,
            has_arrived: false,
            is_wrong: false,
            goal: None,
            shared: None,
            has_paused: false,
        }
    }

    /// The part of a script that comes after so many sides and numbers.
    pub fn after(mut self, sides: usize, numbers: usize) -> Self {
        self.sides.by_ref().take(sides).for_each(drop);
        self.numbers.by_ref().take(numbers).for_each(drop);
        self
    }

    /// Only so many more sides and numbers are followed: the state pauses before the first question that takes another one, with
    /// nothing of it decided.
    pub fn pausing_after(mut self, sides: usize, numbers: usize) -> Self {
        self.shared = Some(Shared { sides, numbers });
        self
    }

    /// Whether the state has paused before a question beyond what is followed.
    pub fn has_paused(&self) -> bool {
        self.has_paused
    }

    /// The state comes to a question that takes a side; if it takes another number first, `numbers` is 1. Says
    /// whether it is to pause before it.
    pub(crate) fn pauses(&mut self, numbers: usize) -> bool {
        let Some(shared) = &self.shared else { return false };
        self.has_paused = shared.sides == 0 || shared.numbers < numbers;
        self.has_paused
    }

    /// What holds since the operation at which the state stands, and how many constraints did before. An
    /// input that meets it may have yet to be found.
    pub fn goal(&self) -> Option<(usize, ExprId)> {
        self.goal
    }

    pub(crate) fn set_goal(&mut self, before: usize, condition: ExprId) {
        self.goal = self.has_arrived.then_some((before, condition));
    }

    /// Whether the state has made all decisions, and has come to the operation at which it stands if
    /// there is one.
    pub fn is_done(&self) -> bool {
        let arrived = self.has_arrived || self.standing == Standing::Block;
        arrived && self.sides.len() == 0 && self.numbers.len() == 0 && !self.is_wrong
    }

    /// Whether the state has come to the operation at which it stands.
    pub fn has_arrived(&self) -> bool {
        self.has_arrived
    }

    /// What the next question is made from.
    pub(crate) fn number(&mut self) -> u64 {
        let number = self.numbers.next();
        self.is_wrong |= number.is_none();
        if let Some(shared) = &mut self.shared {
            // A question that was begun with what is common cannot go on with what is not.
            self.is_wrong |= shared.numbers == 0;
            shared.numbers = shared.numbers.saturating_sub(1);
        }
        number.unwrap_or_default()
    }

    /// The side that the next decision takes, where the state's own input takes this one. Only at its last
    /// decision may a state have an input that takes the other side. `None` if these are not the decisions.
    pub(crate) fn side(&mut self, own: bool) -> Option<bool> {
        let side = self.sides.next();
        if let Some(shared) = &mut self.shared {
            shared.sides = shared.sides.saturating_sub(1);
        }
        self.has_arrived = self.standing == Standing::Decision && self.sides.len() == 0;
        self.is_wrong |= !(side == Some(own) || side.is_some() && self.has_arrived);
        side.filter(|_| !self.is_wrong)
    }

    /// An assumption that the state's own input does not meet: whether the state stands there.
    pub(crate) fn stands_at_assumption(&mut self) -> bool {
        self.has_arrived = self.standing == Standing::Assumption && self.sides.len() == 0;
        self.has_arrived
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_come_back_in_order() {
        for length in [0usize, 1, 63, 64, 65, 200, 5000] {
            let mut decisions = Decisions::default();
            let side = |index: usize| index.is_multiple_of(3) || index % 7 == 2;
            for index in 0..length {
                let numbers: &[u64] = if index % 5 == 0 { &[index as u64] } else { &[] };
                decisions.push(side(index), numbers);
            }
            assert_eq!(decisions.len(), length);
            assert_eq!(decisions.sides(), (0..length).map(side).collect::<Vec<_>>());
            let numbers: Vec<u64> = (0..length as u64).step_by(5).collect();
            assert_eq!(decisions.numbers(), numbers);
        }
    }

    #[test]
    fn copies_grow_apart() {
        let mut one = Decisions::default();
        (0..100).for_each(|_| one.push(true, &[]));
        let mut other = one.clone();
        one.push(true, &[]);
        other.push(false, &[]);
        assert_ne!(one, other);
        assert_eq!(one.sides()[..100], other.sides()[..100]);
    }
}
