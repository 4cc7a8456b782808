//! Boolean functions as a graph of AND, XOR and MUX nodes, each function of two or three edges
//! stored once.
//!
//! An [`Edge`] is a node or its complement, so there is no node for negation. Building simplifies:
//! constants, equal and opposite operands, and a few shapes one level below. The file `words.rs`
//! has what is built of vectors of edges, least significant first.

mod arith;
mod shift;
mod unique;
mod words;

#[cfg(test)]
mod tests;

use std::ops::Not;

use unique::Unique;

/// A node or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Edge(u32);

impl Edge {
    /// The node zero stands for falsehood.
    pub(crate) const FALSE: Edge = Edge(0);
    pub(crate) const TRUE: Edge = Edge(1);

    pub(crate) fn constant(value: bool) -> Self {
        Edge(u32::from(value))
    }

    fn of_node(index: usize) -> Self {
        Edge((index as u32) << 1)
    }

    /// The number of the node.
    pub(crate) fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_complement(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn is_constant(self) -> bool {
        self.0 < 2
    }

    /// The edge, complemented when `flip` is set.
    fn flipped(self, flip: bool) -> Self {
        Edge(self.0 ^ u32::from(flip))
    }

    fn regular(self) -> Self {
        Edge(self.0 & !1)
    }
}

impl Not for Edge {
    type Output = Edge;

    fn not(self) -> Edge {
        Edge(self.0 ^ 1)
    }
}

/// What a node computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// Falsehood, the node zero.
    False,
    /// An input, with a number that the caller gave.
    Input(u32),
    And(Edge, Edge),
    /// Both edges are regular.
    Xor(Edge, Edge),
    /// If the first (regular) then the second (regular) else the third.
    Mux(Edge, Edge, Edge),
}

impl Gate {
    /// The edges that the node is a function of.
    pub(crate) fn operands(self) -> impl Iterator<Item = Edge> {
        let (operands, count) = match self {
            Gate::False | Gate::Input(_) => ([Edge::FALSE; 3], 0),
            Gate::And(a, b) | Gate::Xor(a, b) => ([a, b, Edge::FALSE], 2),
            Gate::Mux(a, b, c) => ([a, b, c], 3),
        };
        operands.into_iter().take(count)
    }
}

/// A node in twelve bytes: values of the third word from `INPUT` on tell the other kinds apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packed([u32; 3]);

const AND: u32 = u32::MAX;
const XOR: u32 = u32::MAX - 1;
const INPUT: u32 = u32::MAX - 2;
const FALSE: u32 = u32::MAX - 3;

impl Packed {
    fn gate(self) -> Gate {
        let Packed([a, b, c]) = self;
        match c {
            FALSE => Gate::False,
            INPUT => Gate::Input(a),
            AND => Gate::And(Edge(a), Edge(b)),
            XOR => Gate::Xor(Edge(a), Edge(b)),
            _ => Gate::Mux(Edge(a), Edge(b), Edge(c)),
        }
    }
}

/// The nodes; operands come before the nodes that use them.
#[derive(Debug)]
pub(crate) struct Graph {
    nodes: Vec<Packed>,
    unique: Unique,
}

impl Default for Graph {
    fn default() -> Self {
        Self { nodes: vec![Packed([0, 0, FALSE])], unique: Unique::default() }
    }
}

impl Graph {
    /// How many nodes there are.
    pub(crate) fn len(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn gate(&self, node: usize) -> Gate {
        self.nodes[node].gate()
    }

    /// A new input with a number by which the caller knows it.
    pub(crate) fn input(&mut self, number: u32) -> Edge {
        self.nodes.push(Packed([number, 0, INPUT]));
        Edge::of_node(self.nodes.len() - 1)
    }

    fn intern(&mut self, packed: Packed) -> Edge {
        Edge::of_node(self.unique.intern(&mut self.nodes, packed))
    }

    fn operands_of_and(&self, edge: Edge) -> Option<(Edge, Edge)> {
        match self.gate(edge.node()) {
            Gate::And(a, b) => Some((a, b)),
            _ => None,
        }
    }

    pub(crate) fn and(&mut self, a: Edge, b: Edge) -> Edge {
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == Edge::FALSE || a == !b {
            return Edge::FALSE;
        }
        if a == Edge::TRUE || a == b {
            return b;
        }
        for (this, other) in [(a, b), (b, a)] {
            let Some((x, y)) = self.operands_of_and(this) else { continue };
            match (this.is_complement(), other) {
                (false, _) if other == x || other == y => return this,
                (false, _) if other == !x || other == !y => return Edge::FALSE,
                (true, _) if other == !x || other == !y => return other,
                (true, _) if other == x => return self.and(other, !y),
                (true, _) if other == y => return self.and(other, !x),
                _ => {}
            }
        }
        self.intern(Packed([a.0, b.0, AND]))
    }

    pub(crate) fn or(&mut self, a: Edge, b: Edge) -> Edge {
        !self.and(!a, !b)
    }

    pub(crate) fn xor(&mut self, a: Edge, b: Edge) -> Edge {
        let flip = a.is_complement() != b.is_complement();
        let (a, b) = (a.regular(), b.regular());
        let (a, b) = if a < b { (a, b) } else { (b, a) };
        if a == b {
            return Edge::constant(flip);
        }
        if a == Edge::FALSE {
            return b.flipped(flip);
        }
        for (this, other) in [(a, b), (b, a)] {
            if let Gate::Xor(x, y) = self.gate(this.node()) {
                if other == x {
                    return y.flipped(flip);
                }
                if other == y {
                    return x.flipped(flip);
                }
            }
        }
        self.intern(Packed([a.0, b.0, XOR])).flipped(flip)
    }

    /// If `condition` then `a` else `b`.
    pub(crate) fn mux(&mut self, condition: Edge, a: Edge, b: Edge) -> Edge {
        if condition.is_complement() {
            return self.mux(!condition, b, a);
        }
        if condition == Edge::FALSE || a == b {
            return b;
        }
        if a == !b {
            return self.xor(condition, b);
        }
        // What equals the condition is a constant on its side.
        if a.node() == condition.node() || a.is_constant() {
            let holds = a == Edge::TRUE || a == condition;
            return if holds { self.or(condition, b) } else { self.and(!condition, b) };
        }
        if b.node() == condition.node() || b.is_constant() {
            let holds = b == Edge::TRUE || b == !condition;
            return if holds { self.or(!condition, a) } else { self.and(condition, a) };
        }
        let flip = a.is_complement();
        let packed = Packed([condition.0, a.flipped(flip).0, b.flipped(flip).0]);
        self.intern(packed).flipped(flip)
    }
}
