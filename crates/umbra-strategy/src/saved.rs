//! States as data.
//!
//! A state is where its decisions lead from the start of the program, on an input that takes them. So that is
//! what is written of it, and any process can make the state again from it. Nothing in it is an expression or
//! an address of the process that wrote it.
//!
//! A journal has thousands of states in each entry, and most were in the one before. So a state is encoded once, to
//! one short word of JSON that is then only copied.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;
use umbra_engine::{Decisions, ForkReason, Numbers, Parked, Standing};
use umbra_expr::{Array, Assignment, Expressions};
use umbra_text::from_hex;

use crate::encoding::{Reader, Writer};
use crate::queue::{StateView, Waiting};

/// The form in which states are written; one of another number is not read.
const SCHEMA: u64 = 3;

/// The hexadecimal digits of each byte.
const DIGITS: [[u8; 2]; 256] = {
    let (digits, mut all, mut byte) = (b"0123456789abcdef", [[0; 2]; 256], 0);
    while byte < 256 {
        all[byte] = [digits[byte >> 4], digits[byte & 15]];
        byte += 1;
    }
    all
};

/// A state as data: its [`Contents`], encoded, in hexadecimal digits.
#[derive(Clone)]
pub struct SavedState(Arc<Box<RawValue>>);

/// What is written of a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Contents {
    /// Which of several starts its path began with.
    pub origin: u32,
    /// What it has decided.
    pub decisions: Decisions,
    /// Why it exists: it stands at the operation that asked for its last decision. If that is not said, it
    /// stands before a block.
    pub reason: Option<ForkReason>,
    /// Instructions on its path.
    pub instructions: u64,
    /// The operation that it does next.
    pub place: u32,
    /// It is an old version, followed behind the split.
    pub behind: bool,
    /// Whether an input that takes its last decision has yet to be found.
    pub unsolved: bool,
    /// Instructions since it, or the state it was forked from, ran something new.
    pub stale: u64,
    /// Whether it ran something that no state had run before, since it was forked.
    pub is_new: bool,
    /// The block it enters first, if that is known.
    pub target: Option<u32>,
    /// What those who were told of it know it by.
    pub numbers: Numbers,
    /// Its input: the pieces that are not all zero.
    input: Vec<SavedInput>,
}

/// The sides that a state took, and what its questions were made from, the oldest first.
pub(crate) struct Answers {
    pub sides: Vec<bool>,
    pub numbers: Vec<u64>,
}

/// A piece of input.
#[derive(Clone, Debug, PartialEq, Eq)]
struct SavedInput {
    name: String,
    size: u32,
    /// The first bytes; the rest is zero.
    bytes: Vec<u8>,
    /// Bytes far behind these.
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
        let reason = view.reason.and_then(|reason| {
            ForkReason::ALL.iter().position(|known| *known == reason).map(|index| index as u64)
        });
        let mut writer = Writer::with_capacity(128);
        writer.number(SCHEMA);
        writer.flags([parked.is_behind(), unsolved, view.is_new]);
        writer.number(parked.path.origin().into());
        writer.perhaps(reason);
        writer.number(parked.instructions());
        writer.number(parked.place().into());
        writer.number(view.stale);
        writer.perhaps(view.target.map(u64::from));
        writer.perhaps(parked.numbers().divergence);
        writer.perhaps(parked.numbers().diff_path);
        writer.number(decisions.len() as u64);
        for (index, word) in decisions.words().iter().enumerate() {
            let used = (decisions.len() - 64 * index).min(64).div_ceil(8);
            writer.raw(&word.to_le_bytes()[..used]);
        }
        writer.numbers(&decisions.numbers());
        write_inputs(&mut writer, parked.path.assignment(), expressions);
        Self::of_bytes(&writer.into_bytes())
    }

    fn of_bytes(bytes: &[u8]) -> Self {
        let mut word = vec![b'"'; 2 * bytes.len() + 2];
        for (&byte, pair) in bytes.iter().zip(word[1..].as_chunks_mut().0) {
            *pair = DIGITS[usize::from(byte)];
        }
        // Digits in quotes are text, and JSON.
        let word = String::from_utf8(word).unwrap_or_default();
        Self(Arc::new(RawValue::from_string(word).unwrap_or_default()))
    }

    /// Whether an input that takes its last decision has yet to be found.
    pub fn is_unsolved(&self) -> bool {
        self.contents().is_some_and(|contents| contents.unsolved)
    }

    /// What it says; `None` if no state is written so: a file may have been changed.
    pub(crate) fn contents(&self) -> Option<Contents> {
        let digits = self.0.get().strip_prefix('"')?.strip_suffix('"')?;
        let bytes = from_hex(digits)?;
        let mut reader = Reader::new(&bytes);
        if reader.number()? != SCHEMA {
            return None;
        }
        let [behind, unsolved, is_new] = reader.flags()?;
        let contents = Contents {
            behind,
            unsolved,
            is_new,
            origin: reader.small()?,
            reason: match reader.perhaps()? {
                Some(index) => Some(*ForkReason::ALL.get(usize::try_from(index).ok()?)?),
                None => None,
            },
            instructions: reader.number()?,
            place: reader.small()?,
            stale: reader.number()?,
            target: match reader.perhaps()? {
                Some(target) => Some(u32::try_from(target).ok()?),
                None => None,
            },
            numbers: Numbers { divergence: reader.perhaps()?, diff_path: reader.perhaps()? },
            decisions: read_decisions(&mut reader)?,
            input: reader.list(read_input)?,
        };
        reader.is_done().then_some(contents)
    }
}

impl Contents {
    /// What it has decided, as a list.
    pub fn answers(&self) -> Answers {
        Answers { sides: self.decisions.sides(), numbers: self.decisions.numbers() }
    }

    /// Where it stands.
    pub fn standing(&self) -> Standing {
        match self.reason {
            None => Standing::Block,
            Some(ForkReason::Assumption) => Standing::Assumption,
            Some(_) => Standing::Decision,
        }
    }

    /// Its input, for a table of expressions; `None` if a piece there has another size.
    pub fn assignment(&self, expressions: &mut Expressions) -> Option<Assignment> {
        let mut assignment = Assignment::new();
        for input in &self.input {
            let known = expressions.find_input(&input.name);
            if known.is_some_and(|known| expressions.array(known).size() != input.size) {
                return None;
            }
            let array = expressions.input(&input.name, input.size);
            assignment.set_bytes(array, &input.bytes);
            for &(offset, value) in &input.far {
                assignment.set(array, offset, value);
            }
        }
        Some(assignment)
    }
}

fn write_inputs(writer: &mut Writer, assignment: &Assignment, expressions: &Expressions) {
    let used = |bytes: &[u8]| bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    let inputs = expressions.arrays().filter_map(|(array, contents)| {
        let Array::Input { name, size } = contents else { return None };
        let bytes = assignment.bytes(array);
        let (bytes, far) = (&bytes[..used(bytes)], assignment.far_bytes(array));
        let is_there = !bytes.is_empty() || assignment.far_bytes(array).next().is_some();
        is_there.then_some((name, *size, bytes, far))
    });
    writer.list(inputs, |writer, (name, size, bytes, far)| {
        writer.bytes(name.as_bytes());
        writer.number(size.into());
        writer.bytes(bytes);
        writer.list(far, |writer, (offset, value)| {
            writer.number(offset.into());
            writer.raw(&[value]);
        });
    });
}

fn read_input(reader: &mut Reader<'_>) -> Option<SavedInput> {
    let name = std::str::from_utf8(reader.bytes()?).ok()?.to_owned();
    let (size, bytes) = (reader.small()?, reader.bytes()?.to_vec());
    let far = reader.list(|reader| Some((reader.small()?, reader.byte()?)))?;
    (bytes.len() <= size as usize).then_some(SavedInput { name, size, bytes, far })
}

fn read_decisions(reader: &mut Reader<'_>) -> Option<Decisions> {
    let count = usize::try_from(reader.number()?).ok()?;
    let bytes = reader.raw(count.div_ceil(8))?;
    let sides = bytes.iter().flat_map(|byte| (0..8).map(move |bit| byte >> bit & 1 == 1));
    let numbers = reader.numbers()?;
    Some(Decisions::new(sides.take(count), &numbers))
}

impl PartialEq for SavedState {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for SavedState {}

impl fmt::Debug for SavedState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.contents() {
            Some(contents) => contents.fmt(f),
            None => write!(f, "no state: {}", self.0),
        }
    }
}

impl Serialize for SavedState {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        (**self.0).serialize(to)
    }
}

impl<'de> Deserialize<'de> for SavedState {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self(Arc::new(Box::deserialize(from)?)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state with five decisions.
    fn saved() -> SavedState {
        let mut writer = Writer::default();
        writer.number(SCHEMA);
        writer.flags([false, true, false]);
        writer.number(0);
        writer.perhaps(Some(4));
        writer.number(1000);
        writer.number(77);
        writer.number(0);
        writer.perhaps(None);
        writer.perhaps(Some(1 << 40));
        writer.perhaps(None);
        writer.number(5);
        writer.raw(&[0b11101]);
        writer.numbers(&[7]);
        let mut expressions = Expressions::new();
        let mut assignment = Assignment::new();
        assignment.set_bytes(expressions.input("stdin", 3), b"J\0");
        write_inputs(&mut writer, &assignment, &expressions);
        SavedState::of_bytes(&writer.into_bytes())
    }

    #[test]
    fn a_state_is_read_as_it_was_written() {
        let contents = saved().contents().unwrap();
        assert_eq!(contents.decisions.sides(), [true, false, true, true, true]);
        assert_eq!(contents.decisions.numbers(), [7]);
        assert_eq!(contents.standing(), Standing::Decision);
        assert_eq!((contents.instructions, contents.place), (1000, 77));
        assert_eq!(contents.numbers, Numbers { divergence: Some(1 << 40), diff_path: None });
        assert!(contents.unsolved && !contents.behind && !contents.is_new);
        let input =
            SavedInput { name: "stdin".to_owned(), size: 3, bytes: b"J".to_vec(), far: Vec::new() };
        assert_eq!(contents.input, [input]);
        let text = serde_json::to_string(&saved()).unwrap();
        assert_eq!(serde_json::from_str::<SavedState>(&text).unwrap(), saved());
    }

    #[test]
    fn what_is_no_state_is_not_read() {
        let text = serde_json::to_string(&saved()).unwrap();
        let reads =
            |text: &str| serde_json::from_str::<SavedState>(text).unwrap().contents().is_some();
        assert!(reads(&text));
        for length in 1..text.len() - 1 {
            assert!(!reads(&format!("{}\"", &text[..length])), "the first {length} characters");
        }
        assert!(!reads(&text.replacen("03", "04", 1)), "another schema");
        assert!(!reads(&text.replacen('0', "g", 1)) && !reads("{}") && !reads("12"));
        assert!(!reads(&format!("{}00\"", &text[..text.len() - 1])), "something behind it");
    }
}
