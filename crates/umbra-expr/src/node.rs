//! The record of an expression and the table that makes equal ones the same.
//!
//! A record is 20 bytes and the index of the table 8 to 16 bytes for each (a quarter to half full
//! after growing). Records are never removed: the table lives as long as a run.

use crate::id::ExprId;
use crate::kind::Kind;

/// Facts about an expression that are read more often than it is built.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flags(u8);

impl Flags {
    pub const NONE: Flags = Flags(0);
    pub const PAIR: Flags = Flags(1);
    pub const FLOAT: Flags = Flags(2);
    /// Depends on a byte of an input.
    pub const SYMBOLIC: Flags = Flags(4);

    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub fn contains(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// One expression. `flags` and `depth` follow from the rest.
///
/// `args` holds the ids of the operands, then what else there is: the two halves of a narrow
/// constant, the place of a wide one, the number of an array, the lowest bit of an extraction, the
/// classes of a class test.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub kind: Kind,
    pub flags: Flags,
    pub depth: u16,
    pub width: u32,
    pub args: [u32; 3],
}

impl Node {
    pub fn same(&self, other: &Node) -> bool {
        self.kind == other.kind && self.width == other.width && self.args == other.args
    }

    pub fn hash(&self) -> u64 {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let head = u64::from(self.kind as u8) | u64::from(self.width) << 8;
        let tail = u64::from(self.args[0]) | u64::from(self.args[1]) << 32;
        let mut hash = (head ^ u64::from(self.args[2]) << 40).wrapping_mul(FACTOR);
        hash = (hash.rotate_left(26) ^ tail).wrapping_mul(FACTOR);
        hash ^ hash >> 32
    }
}

/// All records, and an index from content to place by open addressing.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    /// The first record is never used, so that ids need no subtraction.
    records: Vec<Node>,
    /// Zero or an id; a power of two of them.
    slots: Vec<u32>,
}

impl Nodes {
    pub fn new() -> Self {
        let unused =
            Node { kind: Kind::Constant, flags: Flags::NONE, depth: 0, width: 0, args: [0; 3] };
        Self { records: vec![unused], slots: vec![0; 1024] }
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.records.len() - 1
    }

    /// Bytes in use for records and index.
    pub fn bytes(&self) -> usize {
        self.records.len() * size_of::<Node>() + self.slots.len() * size_of::<u32>()
    }

    #[inline]
    pub fn get(&self, id: ExprId) -> &Node {
        &self.records[id.index()]
    }

    /// The expression with this content, or the slot where it would go.
    #[inline]
    pub fn find(&self, node: &Node) -> Result<ExprId, usize> {
        let cut = self.slots.len() - 1;
        let mut slot = node.hash() as usize & cut;
        loop {
            match self.slots[slot] {
                0 => return Err(slot),
                raw if self.records[raw as usize].same(node) => return Ok(ExprId::from_raw(raw)),
                _ => slot = (slot + 1) & cut,
            }
        }
    }

    /// Adds an expression that is not there, at the slot that [`Nodes::find`] gave.
    pub fn insert(&mut self, node: Node, slot: usize) -> ExprId {
        let raw = u32::try_from(self.records.len()).expect("fewer than 2^32 expressions");
        self.records.push(node);
        self.slots[slot] = raw;
        if self.records.len() * 2 > self.slots.len() {
            self.grow();
        }
        ExprId::from_raw(raw)
    }

    fn grow(&mut self) {
        let size = self.slots.len() * 2;
        self.slots.clear();
        self.slots.resize(size, 0);
        for (raw, node) in self.records.iter().enumerate().skip(1) {
            let mut slot = node.hash() as usize & (size - 1);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = raw as u32;
        }
    }
}

/// What the rules last made of a record, by its hash; one place each, newer ones win.
///
/// A path of a program asks for the same few sums and comparisons again and again, in every state.
#[derive(Clone, Debug)]
pub(crate) struct Rewrites {
    places: Vec<Option<(Node, ExprId)>>,
}

impl Rewrites {
    const PLACES: usize = 1 << 15;

    pub fn new() -> Self {
        Self { places: Vec::new() }
    }

    #[inline]
    fn place(node: &Node) -> usize {
        // Not the bits that the table of expressions uses first.
        (node.hash() >> 40) as usize % Self::PLACES
    }

    #[inline]
    pub fn get(&self, node: &Node) -> Option<ExprId> {
        match self.places.get(Self::place(node)) {
            Some(Some((before, after))) if before.same(node) => Some(*after),
            _ => None,
        }
    }

    pub fn set(&mut self, node: Node, result: ExprId) {
        if self.places.is_empty() {
            self.places.resize(Self::PLACES, None);
        }
        self.places[Self::place(&node)] = Some((node, result));
    }
}
