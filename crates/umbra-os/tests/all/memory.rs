//! A program's memory without a program: one flat range.
//!
//! Optionally nothing in it is a number: byte `b` is the expression for byte `b` of an input that
//! has the values 0 to 255. Every decision is then refused once, as by a machine that forks.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use umbra_engine::{BadAddress, Byte, PageState, UserMemory};
use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions};

pub(crate) const BASE: u64 = 0x10_0000;
const SIZE: usize = 1 << 21;

/// Expressions in place of numbers.
pub(crate) struct Symbols {
    exprs: Expressions,
    input: ArrayId,
    assignment: Assignment,
    evaluator: RefCell<Evaluator>,
    decided: HashSet<ExprId>,
    refused: Option<ExprId>,
}

impl Symbols {
    pub(crate) fn new() -> Symbols {
        let mut exprs = Expressions::new();
        let input = exprs.input("bytes", 256);
        let mut assignment = Assignment::new();
        assignment.set_bytes(input, &Vec::from_iter(0..=255));
        let evaluator = RefCell::default();
        Symbols { exprs, input, assignment, evaluator, decided: HashSet::new(), refused: None }
    }

    pub(crate) fn byte(&mut self, value: u8) -> Byte {
        Byte::Symbolic(self.exprs.byte(self.input, value.into()))
    }

    /// An expression that has this value.
    pub(crate) fn number(&mut self, value: u64, width: u32) -> ExprId {
        let parts = value.to_le_bytes().map(|byte| self.exprs.byte(self.input, byte.into()));
        let whole = parts.into_iter().reduce(|low, high| self.exprs.concat(high, low)).unwrap();
        self.exprs.extract(whole, 0, width)
    }

    pub(crate) fn value(&self, expression: ExprId) -> u64 {
        self.evaluator.borrow_mut().resume(&self.exprs, &self.assignment).value_u64(expression)
    }
}

pub(crate) struct FlatMemory {
    bytes: Vec<u8>,
    pub(crate) symbols: Option<Symbols>,
    /// Ranges that show others: start, length, and what they show.
    aliases: Vec<(u64, u64, u64)>,
    /// The lengths of what was mapped.
    lengths: HashMap<u64, u64>,
    /// Pages that were written since somebody asked.
    written: BTreeSet<u64>,
    /// Pages that may not be used as they like.
    states: HashMap<u64, PageState>,
}

const PAGE: u64 = 4096;

impl FlatMemory {
    pub(crate) fn new() -> FlatMemory {
        FlatMemory {
            bytes: vec![0; SIZE],
            symbols: None,
            aliases: Vec::new(),
            lengths: HashMap::new(),
            written: BTreeSet::new(),
            states: HashMap::new(),
        }
    }

    /// Whether the pages of a range allow an access.
    fn check(&self, address: u64, length: usize, write: bool) -> Result<(), BadAddress> {
        let end = address.saturating_add(length as u64).div_ceil(PAGE);
        let allows = |page: u64| match self.states.get(&page) {
            Some(state) => !state.beyond && if write { state.write } else { state.read },
            None => true,
        };
        let far = length > self.bytes.len();
        match !far && (address / PAGE..end).all(allows) {
            true => Ok(()),
            false => Err(BadAddress(address)),
        }
    }

    /// The call was refused a decision and is to be made again; next time it is not.
    pub(crate) fn wants_repetition(&mut self) -> bool {
        let refused = self.symbols.as_mut().and_then(|symbols| {
            let refused = symbols.refused.take()?;
            symbols.decided.insert(refused);
            Some(refused)
        });
        refused.is_some()
    }

    fn range(&self, address: u64, length: usize) -> Result<std::ops::Range<usize>, BadAddress> {
        let inside = |alias: &&(u64, u64, u64)| address.wrapping_sub(alias.0) < alias.1;
        let behind = self.aliases.iter().find(inside).map(|alias| address - alias.0 + alias.2);
        let address = behind.unwrap_or(address);
        let start = address.checked_sub(BASE).ok_or(BadAddress(address))? as usize;
        let end = start
            .checked_add(length)
            .filter(|end| *end <= self.bytes.len())
            .ok_or(BadAddress(address))?;
        Ok(start..end)
    }

    pub(crate) fn bytes(&self, address: u64, length: usize) -> &[u8] {
        &self.bytes[self.range(address, length).unwrap()]
    }
}

impl UserMemory for FlatMemory {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        self.check(address, buffer.len(), false)?;
        let range = self.range(address, buffer.len())?;
        buffer.copy_from_slice(&self.bytes[range]);
        for byte in buffer {
            if let Some(symbols) = &mut self.symbols
                && let Byte::Symbolic(expression) = symbols.byte(*byte)
            {
                self.decide(expression)?;
            }
        }
        Ok(())
    }

    fn read_bytes(&mut self, address: u64, length: usize) -> Result<Vec<Byte>, BadAddress> {
        self.check(address, length, false)?;
        let range = self.range(address, length)?;
        let bytes = self.bytes[range].iter();
        Ok(match &mut self.symbols {
            Some(symbols) => bytes.map(|byte| symbols.byte(*byte)).collect(),
            None => bytes.map(|byte| Byte::Concrete(*byte)).collect(),
        })
    }

    fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Result<(), BadAddress> {
        let value = |byte: &Byte| match (byte, &self.symbols) {
            (Byte::Concrete(value), _) => Some(*value),
            (Byte::Symbolic(expression), Some(symbols)) => Some(symbols.value(*expression) as u8),
            (Byte::Symbolic(_), None) => None,
        };
        let bytes: Option<Vec<u8>> = bytes.iter().map(value).collect();
        self.write(address, &bytes.ok_or(BadAddress(address))?)
    }

    fn decide(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        let symbols = self.symbols.as_mut().ok_or(BadAddress(0))?;
        assert_eq!(symbols.refused, None, "a call goes on after it was refused a decision");
        if !symbols.decided.contains(&expression) {
            symbols.refused = Some(expression);
            return Err(BadAddress(0));
        }
        Ok(symbols.value(expression))
    }

    fn must_fork(&self) -> bool {
        self.symbols.as_ref().is_some_and(|symbols| symbols.refused.is_some())
    }

    fn expressions(&mut self) -> Option<&mut Expressions> {
        self.symbols.as_mut().map(|symbols| &mut symbols.exprs)
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        self.check(address, bytes.len(), true)?;
        let range = self.range(address, bytes.len())?;
        let (first, end) = (BASE + range.start as u64, BASE + range.end as u64);
        self.written.extend(first / PAGE..end.div_ceil(PAGE));
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        let start = self.bytes.len().next_multiple_of(PAGE as usize);
        if length > 1 << 24 {
            return None;
        }
        // A page between mappings.
        self.bytes.resize(start + (length + PAGE) as usize, 0);
        self.lengths.insert(BASE + start as u64, length);
        Some(BASE + start as u64)
    }

    fn share(&mut self, length: u64) -> Option<u64> {
        self.map(length)
    }

    fn map_shared(&mut self, shared: u64, offset: u64, length: u64) -> Option<u64> {
        let address = self.map(length)?;
        self.aliases.push((address, length, shared + offset));
        Some(address)
    }

    fn take_written(&mut self, shared: u64) -> Vec<u64> {
        let length = self.lengths.get(&shared).copied().unwrap_or(0);
        let pages = shared / PAGE..(shared + length) / PAGE;
        let taken: Vec<u64> = self.written.range(pages).copied().collect();
        for page in &taken {
            self.written.remove(page);
        }
        taken.into_iter().map(|page| page - shared / PAGE).collect()
    }

    fn set_pages(&mut self, at: u64, length: u64, state: PageState) -> Result<(), BadAddress> {
        for page in at / PAGE..(at + length).div_ceil(PAGE) {
            self.states.insert(page, state);
        }
        Ok(())
    }

    fn unmap(&mut self, address: u64) -> Result<(), BadAddress> {
        let length = self.lengths.remove(&address).ok_or(BadAddress(address))?;
        self.aliases.retain(|alias| alias.0 != address);
        self.set_pages(address, length, PageState::GONE)
    }
}
