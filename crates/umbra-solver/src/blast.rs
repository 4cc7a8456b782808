//! From expressions to edges of the graph, each expression once.

use umbra_expr::{Array, ArrayId, ExprId, Expressions, IdMap, Kind};

use crate::graph::{Edge, Graph};
use crate::query::{Patience, Reason};

/// The largest array that is laid out for a read at an unknown index, in bytes.
pub(crate) const ARRAY_LIMIT: usize = 1 << 16;

/// Beyond this many nodes a single query is too large.
const QUERY_NODE_LIMIT: usize = 16_000_000;

/// Quotient and remainder.
type Division = (Vec<Edge>, Vec<Edge>);

/// The graph and what it means.
#[derive(Debug, Default)]
pub(crate) struct Blaster {
    pub(crate) graph: Graph,
    /// By expression: one more than where its edges start in the pool, zero when not done yet.
    starts: Vec<u32>,
    pool: Vec<Edge>,
    /// The input bytes that have edges; eight graph inputs each, in this order.
    bytes: Vec<(ArrayId, u32)>,
    byte_edges: IdMap<(ArrayId, u32), [Edge; 8]>,
    /// Quotient and remainder by operands and signedness: programs often want both.
    divisions: IdMap<(ExprId, ExprId, bool), Division>,
    stack: Vec<ExprId>,
}

impl Blaster {
    /// The input byte and the bit of it that a graph input stands for.
    pub(crate) fn input(&self, number: u32) -> (ArrayId, u32, u32) {
        let (array, offset) = self.bytes[(number / 8) as usize];
        (array, offset, number % 8)
    }

    /// How much is remembered, in nodes; eight edges of expressions count as one.
    pub(crate) fn size(&self) -> usize {
        self.graph.len() + self.pool.len() / 8
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        *self = Self::default();
    }

    /// The edge of an expression of one bit.
    pub(crate) fn condition(
        &mut self,
        exprs: &Expressions,
        e: ExprId,
        patience: &mut Patience,
    ) -> Result<Edge, Reason> {
        self.translate(exprs, e, patience)?;
        Ok(self.edges(exprs, e)[0])
    }

    fn is_done(&self, e: ExprId) -> bool {
        self.starts.get(e.index()).is_some_and(|&start| start != 0)
    }

    fn edges(&self, exprs: &Expressions, e: ExprId) -> &[Edge] {
        let start = self.starts[e.index()] as usize - 1;
        &self.pool[start..start + exprs.width(e) as usize]
    }

    fn translate(
        &mut self,
        exprs: &Expressions,
        root: ExprId,
        patience: &mut Patience,
    ) -> Result<(), Reason> {
        if self.starts.len() <= exprs.len() {
            self.starts.resize(exprs.len() + 1, 0);
        }
        if self.is_done(root) {
            return Ok(());
        }
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push(root);
        while let Some(&e) = stack.last() {
            if self.is_done(e) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let operands = exprs.operands(e);
            stack.extend(operands.iter().filter(|&&operand| !self.is_done(operand)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if self.graph.len() > QUERY_NODE_LIMIT {
                return Err(Reason::TooLarge);
            }
            let nodes = self.graph.len();
            let edges = self.step(exprs, e)?;
            self.starts[e.index()] = self.pool.len() as u32 + 1;
            self.pool.extend(edges);
            if let Some(reason) = patience.end(16 + self.graph.len() - nodes) {
                return Err(reason);
            }
        }
        self.stack = stack;
        Ok(())
    }

    /// The edges of an expression whose operands are done.
    fn step(&mut self, exprs: &Expressions, e: ExprId) -> Result<Vec<Edge>, Reason> {
        let width = exprs.width(e) as usize;
        let kind = exprs.kind(e);
        let operands = exprs.operands(e);
        let edges: Vec<Vec<Edge>> =
            operands.iter().map(|&operand| self.edges(exprs, operand).to_vec()).collect();
        let a = || &edges[0][..];
        let b = || &edges[1][..];
        let graph = &mut self.graph;
        Ok(match kind {
            Kind::Constant => {
                let bits = exprs.constant_bits(e).expect("a constant has a value");
                (0..width as u32).map(|position| Edge::constant(bits.bit(position))).collect()
            }
            Kind::Array | Kind::Update => Vec::new(),
            Kind::Read => self.read(exprs, operands[0], operands[1])?.to_vec(),
            Kind::Not => a().iter().map(|&edge| !edge).collect(),
            Kind::Neg => graph.negate(a()),
            Kind::And => a().iter().zip(b()).map(|(&a, &b)| graph.and(a, b)).collect(),
            Kind::Or => a().iter().zip(b()).map(|(&a, &b)| graph.or(a, b)).collect(),
            Kind::Xor => a().iter().zip(b()).map(|(&a, &b)| graph.xor(a, b)).collect(),
            Kind::Add => graph.add(a(), b()),
            Kind::Sub => graph.subtract(a(), b()),
            Kind::Mul => graph.multiply(a(), b()),
            Kind::UDiv | Kind::SDiv | Kind::URem | Kind::SRem => {
                let signed = matches!(kind, Kind::SDiv | Kind::SRem);
                let key = (operands[0], operands[1], signed);
                let (quotient, remainder) = self.divisions.entry(key).or_insert_with(|| {
                    if signed {
                        graph.signed_divide(a(), b())
                    } else {
                        graph.unsigned_divide(a(), b())
                    }
                });
                let wanted = matches!(kind, Kind::UDiv | Kind::SDiv);
                if wanted { quotient.clone() } else { remainder.clone() }
            }
            Kind::Shl => graph.shift_left(a(), b()),
            Kind::LShr => graph.shift_right(a(), b(), Edge::FALSE),
            Kind::AShr => graph.shift_right(a(), b(), a()[width - 1]),
            Kind::Concat => [b(), a()].concat(),
            Kind::Extract => {
                let low = exprs.extract_low(e) as usize;
                a()[low..low + width].to_vec()
            }
            Kind::ZExt => extended(a(), width, Edge::FALSE),
            Kind::SExt => extended(a(), width, a()[a().len() - 1]),
            Kind::Eq => vec![graph.equal(a(), b())],
            Kind::Ult => vec![graph.unsigned_less(a(), b())],
            Kind::Ule => vec![graph.unsigned_less_equal(a(), b())],
            Kind::Slt => vec![graph.signed_less(a(), b())],
            Kind::Sle => vec![graph.signed_less_equal(a(), b())],
            Kind::Ite => graph.choose(a()[0], b(), &edges[2]),
            // Floats and shadow pairs.
            _ => return Err(Reason::Unsupported),
        })
    }

    /// A read: the newest update at the index counts, then the array below.
    fn read(
        &mut self,
        exprs: &Expressions,
        mut array: ExprId,
        index: ExprId,
    ) -> Result<[Edge; 8], Reason> {
        let index = self.edges(exprs, index).to_vec();
        let mut updates: Vec<(Edge, ExprId)> = Vec::new();
        while exprs.kind(array) == Kind::Update {
            let operands = exprs.operands(array);
            let at = self.edges(exprs, operands[1]).to_vec();
            let here = self.graph.equal(&at, &index);
            if here != Edge::FALSE {
                updates.push((here, operands[2]));
            }
            if here == Edge::TRUE {
                break;
            }
            array = operands[0];
        }
        let mut byte = if updates.last().is_some_and(|&(here, _)| here == Edge::TRUE) {
            [Edge::FALSE; 8]
        } else {
            self.read_start(exprs, exprs.array_of(array), &index)?
        };
        while let Some((here, value)) = updates.pop() {
            let value = self.edges(exprs, value).to_vec();
            byte = std::array::from_fn(|bit| self.graph.mux(here, value[bit], byte[bit]));
        }
        Ok(byte)
    }

    fn read_start(
        &mut self,
        exprs: &Expressions,
        array: ArrayId,
        index: &[Edge],
    ) -> Result<[Edge; 8], Reason> {
        let size = exprs.array(array).size() as usize;
        if index.iter().all(|edge| edge.is_constant()) {
            let bits = index.iter().enumerate();
            let at = bits.fold(0, |at, (bit, &edge)| at | u64::from(edge == Edge::TRUE) << bit);
            return Ok(match usize::try_from(at) {
                Ok(at) if at < size => self.byte(exprs, array, at),
                _ => [Edge::FALSE; 8],
            });
        }
        // Index bits that are constant zero say how much of the array can be meant.
        let used = index.iter().rposition(|&edge| edge != Edge::FALSE).map_or(0, |bit| bit + 1);
        let reach = 1usize.checked_shl(used as u32).unwrap_or(usize::MAX).min(size);
        if reach > ARRAY_LIMIT {
            return Err(Reason::TooLarge);
        }
        let bytes: Vec<[Edge; 8]> = (0..reach).map(|at| self.byte(exprs, array, at)).collect();
        Ok(self.graph.look_up(&bytes, index))
    }

    /// A byte of an array at its start; `at` is within its size.
    fn byte(&mut self, exprs: &Expressions, array: ArrayId, at: usize) -> [Edge; 8] {
        if let Array::Table(bytes) = exprs.array(array) {
            let byte = bytes[at];
            return std::array::from_fn(|bit| Edge::constant(byte >> bit & 1 == 1));
        }
        let key = (array, at as u32);
        *self.byte_edges.entry(key).or_insert_with(|| {
            let first = self.bytes.len() as u32 * 8;
            self.bytes.push(key);
            std::array::from_fn(|bit| self.graph.input(first + bit as u32))
        })
    }
}

fn extended(a: &[Edge], width: usize, fill: Edge) -> Vec<Edge> {
    let mut edges = a.to_vec();
    edges.resize(width, fill);
    edges
}
