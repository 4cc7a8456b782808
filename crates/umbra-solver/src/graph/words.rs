//! Comparison, choice and look-up over vectors of edges.

use super::{Edge, Graph};

impl Graph {
    /// Conjunction of all, as a balanced tree.
    pub(crate) fn all(&mut self, edges: &[Edge]) -> Edge {
        match *edges {
            [] => Edge::TRUE,
            [one] => one,
            _ => {
                let (low, high) = edges.split_at(edges.len() / 2);
                let (low, high) = (self.all(low), self.all(high));
                self.and(low, high)
            }
        }
    }

    pub(crate) fn any(&mut self, edges: &[Edge]) -> Edge {
        let flipped: Vec<Edge> = edges.iter().map(|&edge| !edge).collect();
        !self.all(&flipped)
    }

    pub(crate) fn equal(&mut self, a: &[Edge], b: &[Edge]) -> Edge {
        let same: Vec<Edge> = a.iter().zip(b).map(|(&a, &b)| !self.xor(a, b)).collect();
        self.all(&same)
    }

    /// `a < b`; `equal` is the answer for equal operands.
    fn less(&mut self, a: &[Edge], b: &[Edge], equal: Edge) -> Edge {
        let mut less = equal;
        for (&a, &b) in a.iter().zip(b) {
            let differ = self.xor(a, b);
            less = self.mux(differ, b, less);
        }
        less
    }

    pub(crate) fn unsigned_less(&mut self, a: &[Edge], b: &[Edge]) -> Edge {
        self.less(a, b, Edge::FALSE)
    }

    pub(crate) fn unsigned_less_equal(&mut self, a: &[Edge], b: &[Edge]) -> Edge {
        self.less(a, b, Edge::TRUE)
    }

    pub(crate) fn signed_less(&mut self, a: &[Edge], b: &[Edge]) -> Edge {
        let (a, b) = (with_sign_flipped(a), with_sign_flipped(b));
        self.unsigned_less(&a, &b)
    }

    pub(crate) fn signed_less_equal(&mut self, a: &[Edge], b: &[Edge]) -> Edge {
        let (a, b) = (with_sign_flipped(a), with_sign_flipped(b));
        self.unsigned_less_equal(&a, &b)
    }

    pub(crate) fn choose(&mut self, condition: Edge, a: &[Edge], b: &[Edge]) -> Vec<Edge> {
        a.iter().zip(b).map(|(&a, &b)| self.mux(condition, a, b)).collect()
    }

    /// The byte at `index`, zero beyond the end.
    ///
    /// A tree of choices by the bits of the index, lowest first: parts of a table that are equal
    /// fold away, and a bit of the index that cannot matter is never looked at.
    pub(crate) fn look_up(&mut self, bytes: &[[Edge; 8]], index: &[Edge]) -> [Edge; 8] {
        const ZERO: [Edge; 8] = [Edge::FALSE; 8];
        let mut layer = bytes.to_vec();
        let mut bits = index.iter();
        while layer.len() > 1 {
            let Some(&bit) = bits.next() else { break };
            layer = layer
                .chunks(2)
                .map(|pair| {
                    let (low, high) = (pair[0], pair.get(1).copied().unwrap_or(ZERO));
                    std::array::from_fn(|position| self.mux(bit, high[position], low[position]))
                })
                .collect();
        }
        let beyond: Vec<Edge> = bits.copied().collect();
        let inside = !self.any(&beyond);
        let byte = layer.first().copied().unwrap_or(ZERO);
        byte.map(|edge| self.and(inside, edge))
    }
}

/// Signed order is unsigned order with the highest bit flipped.
fn with_sign_flipped(a: &[Edge]) -> Vec<Edge> {
    let mut a = a.to_vec();
    if let Some(sign) = a.last_mut() {
        *sign = !*sign;
    }
    a
}
