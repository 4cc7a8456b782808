//! States as data.
//!
//! A state is where its decisions lead from the start of the program, on an input that takes them. So that is
//! what is written of it, and any process can make the state again from it. Nothing in it is an expression or
//! an address of the process that wrote it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use umbra_engine::{Decisions, ForkReason, Numbers, Parked, Standing};
use umbra_expr::{Array, Assignment, Expressions};
use umbra_text::{from_hex, to_hex};

use crate::queue::{StateView, Waiting};

/// The form in which states are written; one of another number is not read.
const SCHEMA: u32 = 2;

/// A state as data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedState {
    /// The form in which it is written.
    schema: u32,
    /// Which of several starts its path began with.
    pub origin: u32,
    /// The sides that it took, the oldest first: a digit of four bits each, the oldest in the lowest one.
    sides: String,
    /// How many.
    decisions: usize,
    /// What its questions were made from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    numbers: Vec<u64>,
    /// Why it exists: it stands at the operation that asked for its last decision. If that is not said, it
    /// stands before a block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Instructions on its path.
    pub instructions: u64,
    /// The operation that it does next.
    pub(crate) place: u32,
    /// It is an old version, followed behind the split.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub behind: bool,
    /// Whether an input that takes its last decision has yet to be found.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsolved: bool,
    /// Instructions since it, or the state it was forked from, ran something new.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) stale: u64,
    /// Whether it ran something that no state had run before, since it was forked.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) is_new: bool,
    /// The block it enters first, if that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) target: Option<u32>,
    /// The number of the time that its versions have parted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    divergence: Option<u64>,
    /// The number of the new version's path that it follows the old one on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    diff_path: Option<u64>,
    /// Its input: the bytes of each piece by name.
    input: BTreeMap<String, SavedInput>,
}

/// The sides that a state took, and what its questions were made from, the oldest first.
pub(crate) struct Answers {
    pub sides: Vec<bool>,
    pub numbers: Vec<u64>,
}

/// A piece of input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct SavedInput {
    size: u32,
    /// The first bytes, in hexadecimal digits; the rest is zero.
    bytes: String,
    /// Bytes far behind these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    far: Vec<(u32, u8)>,
}

impl SavedState {
    /// A state that waits.
    pub(crate) fn of(waiting: &Waiting, expressions: &Expressions) -> Self {
        Self::new(&waiting.view, &waiting.parked, waiting.goal.is_some(), expressions)
    }

    /// A state of which this is known.
    pub(crate) fn new(
        view: &StateView,
        parked: &Parked,
        unsolved: bool,
        expressions: &Expressions,
    ) -> Self {
        let decisions = parked.path.decisions();
        Self {
            schema: SCHEMA,
            origin: parked.path.origin(),
            sides: digits(&decisions.sides()),
            decisions: decisions.len(),
            numbers: decisions.numbers(),
            reason: view.reason.map(|reason| reason.name().to_owned()),
            instructions: parked.instructions(),
            place: parked.place(),
            behind: parked.is_behind(),
            unsolved,
            stale: view.stale,
            is_new: view.is_new,
            target: view.target,
            divergence: parked.numbers().divergence,
            diff_path: parked.numbers().diff_path,
            input: inputs(parked, expressions),
        }
    }

    /// Whether it is as a state is written: a file may have been changed.
    pub(crate) fn is_readable(&self) -> bool {
        let is_hex = |text: &str| text.bytes().all(|digit| digit.is_ascii_hexdigit());
        let is_input = |input: &SavedInput| {
            let length = input.bytes.len();
            is_hex(&input.bytes) && length.is_multiple_of(2) && length / 2 <= input.size as usize
        };
        self.schema == SCHEMA
            && is_hex(&self.sides)
            && self.sides.len() == self.decisions.div_ceil(4)
            && self.reason.is_some() == self.reason().is_some()
            && self.input.values().all(is_input)
    }

    /// What it has decided.
    pub fn decisions(&self) -> Decisions {
        let digits = self.sides.chars().map(|digit| digit.to_digit(16).unwrap_or_default());
        let sides = digits.flat_map(|digit| (0..4).map(move |bit| digit >> bit & 1 == 1));
        Decisions::new(sides.take(self.decisions), &self.numbers)
    }

    /// What it has decided, as a list.
    pub(crate) fn answers(&self) -> Answers {
        let decisions = self.decisions();
        Answers { sides: decisions.sides(), numbers: decisions.numbers() }
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        match self.reason() {
            None => Standing::Block,
            Some(ForkReason::Assumption) => Standing::Assumption,
            Some(_) => Standing::Decision,
        }
    }

    /// Why it exists, if it was not interrupted.
    pub(crate) fn reason(&self) -> Option<ForkReason> {
        let name = self.reason.as_deref()?;
        ForkReason::ALL.into_iter().find(|reason| reason.name() == name)
    }

    /// What those who were told of it know it by.
    pub(crate) fn numbers(&self) -> Numbers {
        Numbers { divergence: self.divergence, diff_path: self.diff_path }
    }

    /// Its input, for a table of expressions.
    pub(crate) fn assignment(&self, expressions: &mut Expressions) -> Assignment {
        let mut assignment = Assignment::new();
        for (name, input) in &self.input {
            let array = expressions.input(name, input.size);
            assignment.set_bytes(array, &from_hex(&input.bytes).unwrap_or_default());
            for &(offset, value) in &input.far {
                assignment.set(array, offset, value);
            }
        }
        assignment
    }
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

fn digits(sides: &[bool]) -> String {
    let digit = |four: &[bool]| {
        let bits = four.iter().zip(0..).map(|(&side, bit)| u32::from(side) << bit);
        char::from_digit(bits.sum(), 16).unwrap_or('0')
    };
    sides.chunks(4).map(digit).collect()
}

fn inputs(parked: &Parked, expressions: &Expressions) -> BTreeMap<String, SavedInput> {
    let assignment = parked.path.assignment();
    let mut inputs = BTreeMap::new();
    for (array, contents) in expressions.arrays() {
        let Array::Input { name, size } = contents else { continue };
        let bytes = assignment.bytes(array);
        let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let far: Vec<(u32, u8)> = assignment.far_bytes(array).collect();
        if used > 0 || !far.is_empty() {
            let bytes = to_hex(&bytes[..used]);
            inputs.insert(name.to_string(), SavedInput { size: *size, bytes, far });
        }
    }
    inputs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn saved() -> SavedState {
        let input = SavedInput { size: 2, bytes: "4a00".to_owned(), far: Vec::new() };
        SavedState {
            schema: SCHEMA,
            origin: 0,
            sides: "d1".to_owned(),
            decisions: 5,
            numbers: vec![7],
            reason: Some("value".to_owned()),
            instructions: 10,
            place: 0,
            behind: false,
            unsolved: false,
            stale: 0,
            is_new: false,
            target: None,
            divergence: None,
            diff_path: None,
            input: [("stdin".to_owned(), input)].into(),
        }
    }

    #[test]
    fn decisions_are_read_as_they_were_written() {
        let saved = saved();
        assert!(saved.is_readable());
        let sides = saved.decisions().sides();
        assert_eq!(sides, [true, false, true, true, true]);
        assert_eq!(digits(&sides), saved.sides);
        assert_eq!(saved.standing(), Standing::Decision);
    }

    #[test]
    fn what_was_changed_is_not_read() {
        assert!(!SavedState { sides: "x1".to_owned(), ..saved() }.is_readable());
        assert!(!SavedState { schema: SCHEMA + 1, ..saved() }.is_readable());
        assert!(!SavedState { decisions: 9, ..saved() }.is_readable());
        assert!(!SavedState { reason: Some("whim".to_owned()), ..saved() }.is_readable());
        let mut longer = saved();
        longer.input.values_mut().for_each(|input| input.bytes += "00");
        assert!(!longer.is_readable());
    }
}
