//! Shifts by a variable amount: one stage for each bit of the amount that can matter.

use super::{Edge, Graph};

impl Graph {
    /// Towards the high bits, zeros follow.
    pub(crate) fn shift_left(&mut self, a: &[Edge], amount: &[Edge]) -> Vec<Edge> {
        let mut reversed = a.to_vec();
        reversed.reverse();
        let mut result = self.shift_right(&reversed, amount, Edge::FALSE);
        result.reverse();
        result
    }

    /// Towards the low bits, `fill` follows.
    pub(crate) fn shift_right(&mut self, a: &[Edge], amount: &[Edge], fill: Edge) -> Vec<Edge> {
        let mut result = a.to_vec();
        let mut stages = 0;
        while stages < amount.len() && 1 << stages < a.len() {
            let distance = 1 << stages;
            result = (0..result.len())
                .map(|position| {
                    let moved = result.get(position + distance).copied().unwrap_or(fill);
                    self.mux(amount[stages], moved, result[position])
                })
                .collect();
            stages += 1;
        }
        // Any higher bit moves everything out.
        let beyond = self.any(&amount[stages..]);
        result.into_iter().map(|edge| self.mux(beyond, fill, edge)).collect()
    }
}
