//! The table that owns all expressions of a worker.

use std::collections::HashMap;
use std::ops::Deref;

use crate::bits::{Bits, word_count};
use crate::fold::Shape;
use crate::hash::IdSet;
use crate::id::{ArrayId, ExprId};
use crate::kind::{FloatKind, Kind};
use crate::node::{Flags, Node, Nodes, Rewrites};
use crate::project::Projections;
use crate::rules::{Rule, RuleHits};
use crate::support::Supports;

/// The width of an index into an array.
pub const INDEX_WIDTH: u32 = 64;

/// What an array holds.
///
/// A read beyond the end is zero. (Programs are checked before they read, so this only makes every
/// expression mean something.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Array {
    /// Unknown bytes from outside.
    Input {
        /// Unique among inputs.
        name: String,
        /// In bytes.
        size: u32,
    },
    /// Known bytes.
    Table(Box<[u8]>),
}

impl Array {
    /// The size in bytes.
    pub fn size(&self) -> u32 {
        match self {
            Array::Input { size, .. } => *size,
            Array::Table(bytes) => bytes.len() as u32,
        }
    }
}

/// The operands of an expression, as a slice.
#[derive(Clone, Copy, Debug)]
pub struct Operands {
    ids: [ExprId; 3],
    len: usize,
}

impl std::ops::DerefMut for Operands {
    fn deref_mut(&mut self) -> &mut [ExprId] {
        &mut self.ids[..self.len]
    }
}

impl Deref for Operands {
    type Target = [ExprId];
    fn deref(&self) -> &[ExprId] {
        &self.ids[..self.len]
    }
}

/// All expressions of a run or of a worker; append-only.
///
/// Expressions are built by the methods named after the operations, which apply the rewrite rules;
/// there is no other way. Equal expressions have equal ids.
#[derive(Clone, Debug)]
pub struct Expressions {
    pub(crate) nodes: Nodes,
    pub(crate) rewrites: Rewrites,
    /// Words of the constants over 64 bits.
    pool: Vec<u64>,
    wide: HashMap<Bits, ExprId>,
    pub(crate) arrays: Vec<Array>,
    inputs: HashMap<String, ArrayId>,
    tables: HashMap<Box<[u8]>, ArrayId>,
    limit: usize,
    pub(crate) rewriting: bool,
    /// How deep rules are inside rules at the moment.
    pub(crate) nesting: u32,
    pub(crate) hits: RuleHits,
    pub(crate) supports: Supports,
    pub(crate) projections: Projections,
}

impl Default for Expressions {
    fn default() -> Self {
        Self::new()
    }
}

impl Expressions {
    /// The default of [`Expressions::with_limit`]: about two gigabytes.
    pub const DEFAULT_LIMIT: usize = 50_000_000;

    /// An empty table.
    pub fn new() -> Self {
        Self {
            nodes: Nodes::new(),
            rewrites: Rewrites::new(),
            pool: Vec::new(),
            wide: HashMap::new(),
            arrays: Vec::new(),
            inputs: HashMap::new(),
            tables: HashMap::new(),
            limit: Self::DEFAULT_LIMIT,
            rewriting: true,
            nesting: 0,
            hits: RuleHits::default(),
            supports: Supports::default(),
            projections: Projections::default(),
        }
    }

    /// An empty table that asks to be given up at this many expressions.
    pub fn with_limit(limit: usize) -> Self {
        Self { limit, ..Self::new() }
    }

    /// An empty table that builds exactly what it is asked to, for proofs of the rules.
    pub fn without_rules() -> Self {
        Self { rewriting: false, ..Self::new() }
    }

    /// How many expressions there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no expressions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Bytes in use for expressions, without arrays and memos.
    pub fn bytes(&self) -> usize {
        self.nodes.bytes() + self.pool.len() * size_of::<u64>()
    }

    /// Whether there are more expressions than the limit.
    ///
    /// Building goes on all the same: a step of the machine must not fail half way. The owner of
    /// the table looks between steps and ends the run.
    pub fn limit_reached(&self) -> bool {
        self.len() >= self.limit
    }

    /// How often each rule was applied.
    pub fn rule_hits(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        self.hits.iter()
    }

    /// The input of this name; all uses of a name must agree on the size.
    pub fn input(&mut self, name: &str, size: u32) -> ArrayId {
        if let Some(&array) = self.inputs.get(name) {
            assert_eq!(self.arrays[array.index()].size(), size, "size of input {name}");
            return array;
        }
        let array = ArrayId::from_index(self.arrays.len());
        self.arrays.push(Array::Input { name: name.to_owned(), size });
        self.inputs.insert(name.to_owned(), array);
        array
    }

    /// The input of this name, if there is one.
    pub fn find_input(&self, name: &str) -> Option<ArrayId> {
        self.inputs.get(name).copied()
    }

    /// The constant table with these bytes.
    pub fn table(&mut self, bytes: &[u8]) -> ArrayId {
        if let Some(&array) = self.tables.get(bytes) {
            return array;
        }
        let array = ArrayId::from_index(self.arrays.len());
        self.arrays.push(Array::Table(bytes.into()));
        self.tables.insert(bytes.into(), array);
        array
    }

    /// What an array holds.
    pub fn array(&self, array: ArrayId) -> &Array {
        &self.arrays[array.index()]
    }

    /// All arrays in order.
    pub fn arrays(&self) -> impl Iterator<Item = (ArrayId, &Array)> {
        self.arrays.iter().enumerate().map(|(index, array)| (ArrayId::from_index(index), array))
    }

    /// What the expression is at its root.
    #[inline]
    pub fn kind(&self, e: ExprId) -> Kind {
        self.nodes.get(e).kind
    }

    /// How many bits it has; zero for arrays.
    #[inline]
    pub fn width(&self, e: ExprId) -> u32 {
        self.nodes.get(e).width
    }

    /// The operands that are expressions.
    #[inline]
    pub fn operands(&self, e: ExprId) -> Operands {
        let node = self.nodes.get(e);
        let len = node.kind.arity();
        let mut ids = [e; 3];
        for (id, &raw) in ids.iter_mut().zip(&node.args[..len]) {
            *id = ExprId::from_raw(raw);
        }
        Operands { ids, len }
    }

    /// An operand by position.
    #[inline]
    pub fn operand(&self, e: ExprId, position: usize) -> ExprId {
        let node = self.nodes.get(e);
        debug_assert!(position < node.kind.arity());
        ExprId::from_raw(node.args[position])
    }

    /// The value of a constant of at most 64 bits.
    #[inline]
    pub fn constant_u64(&self, e: ExprId) -> Option<u64> {
        let node = self.nodes.get(e);
        (node.kind == Kind::Constant && node.width <= 64)
            .then(|| u64::from(node.args[0]) | u64::from(node.args[1]) << 32)
    }

    /// The value of a constant of any width.
    pub fn constant_bits(&self, e: ExprId) -> Option<Bits> {
        let node = self.nodes.get(e);
        if node.kind != Kind::Constant {
            return None;
        }
        if let Some(value) = self.constant_u64(e) {
            return Some(Bits::new(node.width, &[value]));
        }
        let start = node.args[0] as usize;
        Some(Bits::new(node.width, &self.pool[start..start + word_count(node.width)]))
    }

    /// Whether it is a constant.
    #[inline]
    pub fn is_constant(&self, e: ExprId) -> bool {
        self.kind(e) == Kind::Constant
    }

    /// The lowest bit that a [`Kind::Extract`] takes.
    pub fn extract_low(&self, e: ExprId) -> u32 {
        debug_assert_eq!(self.kind(e), Kind::Extract);
        self.nodes.get(e).args[1]
    }

    /// The classes that a [`Kind::FIsClass`] tests, as bits of [`FloatClass`](crate::FloatClass).
    pub fn float_classes(&self, e: ExprId) -> u32 {
        debug_assert_eq!(self.kind(e), Kind::FIsClass);
        self.nodes.get(e).args[1]
    }

    /// The array that a [`Kind::Array`] stands for.
    pub fn array_of(&self, e: ExprId) -> ArrayId {
        debug_assert_eq!(self.kind(e), Kind::Array);
        ArrayId::from_index(self.nodes.get(e).args[0] as usize)
    }

    /// The array below all updates.
    pub fn base_array(&self, mut e: ExprId) -> ArrayId {
        while self.kind(e) == Kind::Update {
            e = self.operand(e, 0);
        }
        self.array_of(e)
    }

    /// The input byte that the expression is, as array and offset.
    pub fn as_symbol(&self, e: ExprId) -> Option<(ArrayId, u32)> {
        if self.kind(e) != Kind::Read || self.kind(self.operand(e, 0)) != Kind::Array {
            return None;
        }
        let array = self.array_of(self.operand(e, 0));
        let offset = self.constant_u64(self.operand(e, 1))?;
        matches!(self.array(array), Array::Input { size, .. } if offset < u64::from(*size))
            .then_some((array, offset as u32))
    }

    /// The format of the operands of a float operation (of the result, for [`Kind::SToF`],
    /// [`Kind::UToF`]).
    pub fn float_kind(&self, e: ExprId) -> Option<FloatKind> {
        let node = self.nodes.get(e);
        match node.kind {
            Kind::SToF | Kind::UToF => FloatKind::of_width(node.width),
            kind if kind.is_float() => FloatKind::of_width(self.width(self.operand(e, 0))),
            _ => None,
        }
    }

    /// Whether there is a shadow pair in it.
    pub fn contains_pair(&self, e: ExprId) -> bool {
        self.nodes.get(e).flags.contains(Flags::PAIR)
    }

    /// Whether there is a float operation in it.
    pub fn contains_float(&self, e: ExprId) -> bool {
        self.nodes.get(e).flags.contains(Flags::FLOAT)
    }

    /// Whether it depends on an input.
    pub fn is_symbolic(&self, e: ExprId) -> bool {
        self.nodes.get(e).flags.contains(Flags::SYMBOLIC)
    }

    /// The longest way to a leaf; stays at its largest value.
    pub fn depth(&self, e: ExprId) -> u32 {
        u32::from(self.nodes.get(e).depth)
    }

    /// How many different expressions it consists of.
    pub fn dag_size(&self, e: ExprId) -> usize {
        let mut seen = IdSet::from_iter([e]);
        let mut stack = vec![e];
        while let Some(e) = stack.pop() {
            stack.extend(self.operands(e).iter().filter(|&&operand| seen.insert(operand)));
        }
        seen.len()
    }

    /// What is computed at the root.
    #[inline]
    pub(crate) fn shape(&self, e: ExprId) -> Shape {
        let node = self.nodes.get(e);
        let arity = node.kind.arity();
        let from =
            if arity == 0 { 0 } else { self.nodes.get(ExprId::from_raw(node.args[0])).width };
        let extra = if arity == 1 { node.args[1] } else { 0 };
        Shape { kind: node.kind, width: node.width, from, extra }
    }

    /// Finds or adds a record whose operands are `arity` expressions.
    pub(crate) fn intern(&mut self, kind: Kind, width: u32, args: [u32; 3]) -> ExprId {
        let mut node = Node { kind, flags: Flags::NONE, depth: 0, width, args };
        let slot = match self.nodes.find(&node) {
            Ok(id) => return id,
            Err(slot) => slot,
        };
        if kind == Kind::Pair {
            node.flags = Flags::PAIR;
        } else if kind.is_float() {
            node.flags = Flags::FLOAT;
        } else if kind == Kind::Array
            && matches!(self.arrays[args[0] as usize], Array::Input { .. })
        {
            node.flags = Flags::SYMBOLIC;
        }
        for &raw in &args[..kind.arity()] {
            let operand = self.nodes.get(ExprId::from_raw(raw));
            node.flags = node.flags.with(operand.flags);
            node.depth = node.depth.max(operand.depth.saturating_add(1));
        }
        self.nodes.insert(node, slot)
    }

    /// The constant with this value.
    pub fn constant_of(&mut self, value: &Bits) -> ExprId {
        if value.width() <= 64 {
            return self.constant(value.width(), value.low_u64());
        }
        if let Some(&id) = self.wide.get(value) {
            return id;
        }
        let start = u32::try_from(self.pool.len()).expect("fewer than 2^32 words of constants");
        self.pool.extend_from_slice(value.words());
        let id = self.intern(Kind::Constant, value.width(), [start, 0, 0]);
        self.wide.insert(value.clone(), id);
        id
    }
}
