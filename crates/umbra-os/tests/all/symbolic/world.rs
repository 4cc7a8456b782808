//! A kernel with expressions, run twice: once with every decision made at once, once with every new
//! decision refused first and the call repeated, as a machine does that forks. Both must agree
//! after each call, so a call that has an effect before it is refused is found.

use std::collections::HashSet;
use umbra_engine::{Answer, BadAddress, Byte, Environment, PageState, UserMemory};
use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions};
use umbra_os::{Config, Kernel, OutputAction};

const BASE: u64 = 0x10_0000;
const SIZE: usize = 1 << 14;
/// Where calls have their strings; data is the test's to place below.
const STRINGS: u64 = BASE + 0x3000;

/// Where a test has its data.
pub(crate) const DATA: u64 = BASE;

/// A program's memory with expressions in it, under one assignment.
pub(crate) struct SymbolicMemory {
    pub(crate) exprs: Expressions,
    input: ArrayId,
    values: Vec<u8>,
    bytes: Vec<Byte>,
    decided: HashSet<ExprId>,
    /// New decisions are refused.
    refusing: bool,
    refused: Option<ExprId>,
}

impl SymbolicMemory {
    fn new(values: &[u8], refusing: bool) -> SymbolicMemory {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 256);
        SymbolicMemory {
            exprs,
            input,
            values: values.to_vec(),
            bytes: vec![Byte::Concrete(0); SIZE],
            decided: HashSet::new(),
            refusing,
            refused: None,
        }
    }

    /// Byte `n` of the input.
    pub(crate) fn byte(&mut self, n: usize) -> ExprId {
        self.exprs.byte(self.input, n as u32)
    }

    /// Bytes of the input as one number, the lowest first, extended to `width` bits.
    pub(crate) fn number(&mut self, from: usize, count: usize, width: u32) -> ExprId {
        let first = self.byte(from);
        let joined = (from + 1..from + count).fold(first, |low, n| {
            let high = self.byte(n);
            self.exprs.concat(high, low)
        });
        self.exprs.zext(joined, width)
    }

    /// The lowest bit of byte `n` of the input.
    pub(crate) fn bit(&mut self, n: usize) -> ExprId {
        let byte = self.byte(n);
        self.exprs.extract(byte, 0, 1)
    }

    pub(crate) fn value(&self, expression: ExprId) -> u64 {
        let mut assignment = Assignment::new();
        assignment.set_bytes(self.input, &self.values);
        Evaluator::new().run(&self.exprs, &assignment).value_u64(expression)
    }

    fn range(&self, address: u64, length: usize) -> Result<std::ops::Range<usize>, BadAddress> {
        let start = address.checked_sub(BASE).ok_or(BadAddress(address))? as usize;
        let end = start.checked_add(length).filter(|end| *end <= self.bytes.len());
        Ok(start..end.ok_or(BadAddress(address))?)
    }

    pub(crate) fn bytes(&self, address: u64, length: usize) -> &[Byte] {
        &self.bytes[self.range(address, length).unwrap()]
    }

    fn values_at(&self, address: u64, length: usize) -> Vec<u8> {
        let value = |byte: &Byte| match byte {
            Byte::Concrete(number) => *number,
            Byte::Symbolic(expression) => self.value(*expression) as u8,
        };
        self.bytes(address, length).iter().map(value).collect()
    }
}

impl UserMemory for SymbolicMemory {
    fn read(&mut self, address: u64, buffer: &mut [u8]) -> Result<(), BadAddress> {
        let range = self.range(address, buffer.len())?;
        for (slot, index) in buffer.iter_mut().zip(range) {
            *slot = match self.bytes[index] {
                Byte::Concrete(number) => number,
                Byte::Symbolic(expression) => self.decide(expression)? as u8,
            };
        }
        Ok(())
    }

    fn write(&mut self, address: u64, bytes: &[u8]) -> Result<(), BadAddress> {
        let bytes: Vec<Byte> = bytes.iter().map(|byte| Byte::Concrete(*byte)).collect();
        self.write_bytes(address, &bytes)
    }

    fn read_bytes(&mut self, address: u64, length: usize) -> Result<Vec<Byte>, BadAddress> {
        Ok(self.bytes[self.range(address, length)?].to_vec())
    }

    fn write_bytes(&mut self, address: u64, bytes: &[Byte]) -> Result<(), BadAddress> {
        let range = self.range(address, bytes.len())?;
        self.bytes[range].copy_from_slice(bytes);
        Ok(())
    }

    fn decide(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        assert_eq!(self.refused, None, "a call goes on after it was refused a decision");
        if self.refusing && !self.decided.contains(&expression) {
            self.refused = Some(expression);
            return Err(BadAddress(0));
        }
        self.decided.insert(expression);
        Ok(self.value(expression))
    }

    fn sample(&mut self, expression: ExprId) -> Result<u64, BadAddress> {
        Ok(self.value(expression))
    }

    fn must_fork(&self) -> bool {
        self.refused.is_some()
    }

    fn expressions(&mut self) -> Option<&mut Expressions> {
        Some(&mut self.exprs)
    }

    fn map(&mut self, length: u64) -> Option<u64> {
        let address = BASE + self.bytes.len() as u64;
        self.bytes.resize(self.bytes.len() + length as usize, Byte::Concrete(0));
        Some(address.next_multiple_of(4096))
    }

    fn set_pages(&mut self, _: u64, _: u64, _: PageState) -> Result<(), BadAddress> {
        Ok(())
    }

    fn unmap(&mut self, _: u64) -> Result<(), BadAddress> {
        Ok(())
    }
}

/// One of the two runs.
pub(crate) struct Run {
    pub(crate) kernel: Kernel,
    pub(crate) memory: SymbolicMemory,
}

impl Run {
    fn call(&mut self, number: i64, arguments: [u64; 6]) -> Answer {
        loop {
            let answer = self.kernel.system_call(&mut self.memory, number as u64, arguments);
            match self.memory.refused.take() {
                Some(expression) => self.memory.decided.insert(expression),
                None => return answer,
            };
        }
    }

    /// Everything written, as events of sink, offset and values.
    fn output(&self) -> Vec<(u32, Option<u64>, Vec<u8>)> {
        let events = self.kernel.output().into_iter();
        events
            .map(|event| match event.action {
                OutputAction::Write { offset, bytes } => {
                    let value = |expression| self.memory.value(expression) as u8;
                    (event.sink.0, offset, bytes.values(value))
                }
                OutputAction::Truncate(length) => (event.sink.0, Some(length), Vec::new()),
            })
            .collect()
    }

    /// The tree below `root` under the assignment: paths, modes, link counts, contents.
    fn tree(&self, root: &str) -> Vec<(String, u32, u64, Vec<u8>)> {
        let mut kernel = self.kernel.concrete(|expression| self.memory.value(expression)).unwrap();
        let entries = kernel.walk_tree(std::path::Path::new(root)).unwrap();
        let describe = |entry: &umbra_os::TreeEntry| {
            let mut bytes = Vec::new();
            if entry.stat.mode & libc::S_IFMT == libc::S_IFREG {
                bytes.resize(entry.stat.size as usize, 0);
                kernel.read_file(entry.id, 0, &mut bytes).unwrap();
            }
            let path = entry.path.to_str().unwrap().to_owned();
            (path, entry.stat.mode, entry.stat.nlink, bytes)
        };
        entries.iter().map(describe).collect()
    }
}

/// The two runs, and what they agree on.
pub(crate) struct World {
    pub(crate) eager: Run,
    refusing: Run,
    decisions: usize,
    next_string: u64,
}

impl World {
    /// Starts under the assignment of `values` to the input.
    pub(crate) fn new(values: &[u8], config: impl Fn(&mut SymbolicMemory) -> Config) -> World {
        let run = |refusing| {
            let mut memory = SymbolicMemory::new(values, refusing);
            let kernel = Kernel::new(config(&mut memory)).unwrap();
            Run { kernel, memory }
        };
        World { eager: run(false), refusing: run(true), decisions: 0, next_string: STRINGS }
    }

    /// Does the same to both runs.
    pub(crate) fn each(&mut self, change: impl Fn(&mut Run)) {
        change(&mut self.eager);
        change(&mut self.refusing);
    }

    /// Puts bytes of the input at an address.
    pub(crate) fn put_input(&mut self, address: u64, from: usize, count: usize) {
        self.each(|run| {
            let bytes: Vec<Byte> =
                (from..from + count).map(|n| Byte::Symbolic(run.memory.byte(n))).collect();
            run.memory.write_bytes(address, &bytes).unwrap();
        });
    }

    pub(crate) fn put(&mut self, address: u64, bytes: &[u8]) {
        self.each(|run| run.memory.write(address, bytes).unwrap());
    }

    /// The address of a string.
    pub(crate) fn text(&mut self, text: &str) -> u64 {
        let at = self.next_string;
        self.put(at, text.as_bytes());
        self.put(at + text.len() as u64, &[0]);
        self.next_string += text.len() as u64 + 1;
        at
    }

    pub(crate) fn answer(&mut self, number: i64, arguments: &[u64]) -> Answer {
        let mut words = [0; 6];
        words[..arguments.len()].copy_from_slice(arguments);
        let before = self.eager.memory.decided.len();
        let answers = (self.eager.call(number, words), self.refusing.call(number, words));
        assert_eq!(answers.0, answers.1, "call {number} that is repeated");
        self.decisions = self.eager.memory.decided.len() - before;
        assert_eq!(self.eager.memory.decided.len(), self.refusing.memory.decided.len());
        assert_eq!(self.eager.output(), self.refusing.output());
        let size = self.eager.memory.bytes.len();
        assert_eq!(
            self.eager.memory.values_at(BASE, size),
            self.refusing.memory.values_at(BASE, size)
        );
        answers.0
    }

    /// Makes a call that returns.
    pub(crate) fn call(&mut self, number: i64, arguments: &[u64]) -> i64 {
        match self.answer(number, arguments) {
            Answer::Return(value) => value,
            other => panic!("call {number} gave {other:?}"),
        }
    }

    pub(crate) fn open(&mut self, path: &str, flags: i32) -> i64 {
        let path = self.text(path);
        self.call(libc::SYS_open, &[path, flags as u64, 0o644])
    }

    /// Decisions that the last call needed.
    pub(crate) fn decisions(&self) -> usize {
        self.decisions
    }

    pub(crate) fn symbolic(&self, address: u64, length: usize) -> Vec<bool> {
        let bytes = self.eager.memory.bytes(address, length);
        bytes.iter().map(|byte| byte.concrete().is_none()).collect()
    }

    pub(crate) fn values(&self, address: u64, length: usize) -> Vec<u8> {
        self.eager.memory.values_at(address, length)
    }

    pub(crate) fn word(&self, address: u64) -> u64 {
        u64::from_le_bytes(self.values(address, 8).try_into().unwrap())
    }

    pub(crate) fn output(&self) -> Vec<(u32, Option<u64>, Vec<u8>)> {
        self.eager.output()
    }

    pub(crate) fn tree(&self, root: &str) -> Vec<(String, u32, u64, Vec<u8>)> {
        let tree = self.eager.tree(root);
        assert_eq!(tree, self.refusing.tree(root));
        tree
    }
}
