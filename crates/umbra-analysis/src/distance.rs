//! How far it is to the nearest target.
//!
//! The distance of a place is the least weight of any way from it to a target: along jumps, into
//! callees, and over calls (through the callee, on its shortest way). A way weighs as many
//! instructions or branches as are on it, see [`Measure`](crate::Measure). Conditions are not looked at, so some of
//! these ways nobody can go. The way out of a function depends on who called it;
//! [`Distances::with_stack`] adds it for a stack of calls.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::flow::{Flow, INFINITE, NodeId, add};

/// The distance of every place to the nearest target.
#[derive(Clone, Debug)]
pub struct Distances {
    /// By node; behind the nodes those of groups of callees.
    to_target: Vec<u32>,
}

impl Distances {
    /// The distances to these targets.
    ///
    /// Dijkstra's algorithm against the direction of control, so it looks at each place once,
    /// however many targets there are.
    pub fn new(flow: &Flow, targets: impl IntoIterator<Item = NodeId>) -> Self {
        let mut to_target = vec![INFINITE; flow.nodes.len() + flow.groups.len()];
        let mut queue = BinaryHeap::new();
        for target in targets {
            to_target[target.index()] = 0;
            queue.push(Reverse((0, target.0)));
        }
        while let Some(Reverse((distance, node))) = queue.pop() {
            if distance > to_target[node as usize] {
                continue;
            }
            for &(from, weight) in flow.ways.of(node) {
                let longer = add(distance, weight);
                if longer < to_target[from as usize] {
                    to_target[from as usize] = longer;
                    queue.push(Reverse((longer, from)));
                }
            }
        }
        Self { to_target }
    }

    /// The distance of a place within its function and what it calls; `None` if no way leads to a
    /// target.
    pub fn of(&self, node: NodeId) -> Option<u32> {
        Some(self.to_target[node.index()]).filter(|&distance| distance != INFINITE)
    }

    /// The distance of a place in a function whose callers go on at `returns`, the innermost first.
    pub fn with_stack(
        &self,
        flow: &Flow,
        node: NodeId,
        returns: impl IntoIterator<Item = NodeId>,
    ) -> Option<u32> {
        let mut best = self.of(node);
        let mut out = flow.to_end(node);
        for place in returns {
            let Some(weight) = out else { break };
            let further = self.of(place).map(|distance| add(distance, weight));
            best = [best, further].into_iter().flatten().min();
            out = flow.to_end(place).map(|end| add(end, weight));
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use umbra_ir::{BlockId, Id, Program};

    use super::*;
    use crate::call_graph::CallGraph;
    use crate::flow::{BY_TYPE, Measure};
    use crate::points_to::PointsTo;

    struct Setting {
        program: Program,
        flow: Flow,
    }

    impl Setting {
        fn new(text: &str) -> Self {
            let program = umbra_ir::parse(text).expect("the text is right");
            let flow = Flow::new(&program, &CallGraph::new(&program));
            Self { program, flow }
        }

        fn node(&self, function: &str, block: usize, calls: u32) -> NodeId {
            let function = self.program.function(function).expect("the function is there");
            let block = BlockId::from_index(block);
            self.flow.node(function, block, calls).expect("the place is there")
        }

        fn distances(&self, targets: &[(&str, usize)]) -> Distances {
            let targets = targets.iter().map(|&(function, block)| self.node(function, block, 0));
            Distances::new(&self.flow, targets)
        }

        /// The distances of the starts of all blocks of a function.
        fn all(&self, distances: &Distances, function: &str) -> Vec<Option<u32>> {
            let id = self.program.function(function).expect("the function is there");
            let blocks =
                self.program.functions[id].body.as_ref().map_or(0, |body| body.blocks.len());
            (0..blocks).map(|block| distances.of(self.node(function, block, 0))).collect()
        }
    }

    #[test]
    fn distances_count_instructions_along_jumps() {
        let setting = Setting::new(
            "fn0 @f(r0: i1) {
             bb0 weight 3:
               branch r0, bb1(), bb2()
             bb1 weight 10:
               jump bb3()
             bb2 weight 4:
               jump bb3()
             bb3 weight 5:
               branch r0, bb2(), bb4()
             bb4 weight 1:
               return
             }",
        );
        let to_last = setting.distances(&[("f", 4)]);
        assert_eq!(setting.all(&to_last, "f"), [Some(12), Some(15), Some(9), Some(5), Some(0)]);
        let to_second = setting.distances(&[("f", 2), ("f", 4)]);
        assert_eq!(setting.all(&to_second, "f"), [Some(3), Some(15), Some(0), Some(5), Some(0)]);
        let to_first = setting.distances(&[("f", 1)]);
        assert_eq!(setting.all(&to_first, "f"), [Some(3), Some(0), None, None, None]);
        assert_eq!(setting.all(&setting.distances(&[]), "f"), [None; 5]);
        assert_eq!(setting.flow.to_end(setting.node("f", 0, 0)), Some(13));
    }

    const CALLS: &str = "
        fn0 @main(r0: i1) {
        bb0 weight 5:
          r1: i32 = copy i32 0
          call fn1@twice(r0)
          r2: i32 = copy i32 0
          jump bb1()
        bb1 weight 2:
          call fn3@stops()
          jump bb2()
        bb2 weight 1:
          return
        }
        fn1 @twice(r0: i1) {
        bb0 weight 4:
          call fn2@leaf(r0)
          call fn2@leaf(r0)
          jump bb1()
        bb1 weight 1:
          return
        }
        fn2 @leaf(r0: i1) {
        bb0 weight 10:
          branch r0, bb1(), bb2()
        bb1 weight 100:
          return
        bb2 weight 20:
          return
        }
        fn3 @stops() {
        bb0 weight 1:
          jump bb1()
        bb1 weight 1:
          jump bb1()
        }";

    #[test]
    fn a_way_leads_over_a_call_through_the_callee() {
        let setting = Setting::new(CALLS);
        let flow = &setting.flow;
        assert_eq!(flow.to_end(setting.node("leaf", 0, 0)), Some(30));
        // Two calls of 30, the 4 of the block and the 1 of the return.
        assert_eq!(flow.to_end(setting.node("twice", 0, 0)), Some(65));
        assert_eq!(flow.to_end(setting.node("twice", 0, 1)), Some(34));
        assert_eq!(flow.to_end(setting.node("twice", 0, 2)), Some(3));
        assert_eq!(flow.to_end(setting.node("stops", 0, 0)), None);
        assert_eq!(flow.to_end(setting.node("main", 0, 0)), None);
        let function = setting.program.function("twice").expect("the function is there");
        assert_eq!(flow.node(function, BlockId::from_index(0), 3), None);

        let distances = setting.distances(&[("main", 1)]);
        assert_eq!(distances.of(setting.node("main", 0, 0)), Some(70));
        assert_eq!(distances.of(setting.node("main", 0, 1)), Some(3));
        // Behind a call that never returns.
        let distances = setting.distances(&[("main", 2)]);
        assert_eq!(setting.all(&distances, "main"), [None, None, Some(0)]);
    }

    #[test]
    fn distances_in_branches_count_conditions() {
        let program = umbra_ir::parse(
            "fn0 @main(r0: i1, r1: i32) {
             bb0 weight 9:
               call fn1@twice(r0)
               jump bb1()
             bb1 weight 9:
               branch r0, bb2(), bb2()
             bb2 weight 9:
               switch r1 { i32 1: bb4(), i32 2: bb3(), else: bb3() }
             bb3 weight 9:
               jump bb3()
             bb4 weight 9:
               return
             }
             fn1 @twice(r0: i1) {
             bb0 weight 9:
               call fn2@leaf(r0)
               call fn2@leaf(r0)
               return
             }
             fn2 @leaf(r0: i1) {
             bb0 weight 9:
               branch r0, bb1(), bb2()
             bb1 weight 9:
               branch r0, bb1(), bb2()
             bb2 weight 9:
               return
             }",
        )
        .expect("the text is right");
        let flow = Flow::in_measure(&program, &CallGraph::new(&program), Measure::Branches);
        let setting = Setting { program, flow };
        let distances = setting.distances(&[("main", 4)]);
        // A branch both of whose edges lead to one block decides nothing.
        assert_eq!(setting.all(&distances, "main"), [Some(3), Some(1), Some(1), None, Some(0)]);
        assert_eq!(setting.all(&distances, "leaf"), [None; 3]);
        let distances = setting.distances(&[("leaf", 1)]);
        assert_eq!(setting.all(&distances, "main"), [Some(1), None, None, None, None]);
    }

    #[test]
    fn a_way_leads_into_a_callee() {
        let setting = Setting::new(CALLS);
        let distances = setting.distances(&[("leaf", 1)]);
        assert_eq!(distances.of(setting.node("leaf", 0, 0)), Some(10));
        assert_eq!(distances.of(setting.node("leaf", 2, 0)), None);
        assert_eq!(distances.of(setting.node("twice", 0, 0)), Some(11));
        assert_eq!(distances.of(setting.node("twice", 0, 1)), Some(11));
        assert_eq!(distances.of(setting.node("twice", 0, 2)), None);
        assert_eq!(distances.of(setting.node("main", 0, 0)), Some(13));
    }

    #[test]
    fn a_stack_of_calls_leads_back_to_the_callers() {
        let setting = Setting::new(CALLS);
        let distances = setting.distances(&[("main", 1)]);
        let leaf = setting.node("leaf", 2, 0);
        assert_eq!(distances.of(leaf), None);
        // In the first call of leaf: 20 to its end, 34 in twice, 3 in main.
        let stack = [setting.node("twice", 0, 1), setting.node("main", 0, 1)];
        assert_eq!(distances.with_stack(&setting.flow, leaf, stack), Some(57));
        let stack = [setting.node("twice", 0, 2), setting.node("main", 0, 1)];
        assert_eq!(distances.with_stack(&setting.flow, leaf, stack), Some(26));
        assert_eq!(distances.with_stack(&setting.flow, leaf, []), None);
        // From a function that does not return, nothing leads back.
        let stopped = setting.node("stops", 0, 0);
        let stack = [setting.node("main", 0, 1)];
        assert_eq!(distances.with_stack(&setting.flow, stopped, stack), None);
    }

    #[test]
    fn recursion_ends_where_it_can() {
        let setting = Setting::new(
            "fn0 @even(r0: i1) {
             bb0 weight 2:
               branch r0, bb1(), bb2()
             bb1 weight 3:
               call fn1@odd(r0)
               jump bb2()
             bb2 weight 7:
               return
             }
             fn1 @odd(r0: i1) {
             bb0 weight 4:
               call fn0@even(r0)
               branch r0, bb1(), bb2()
             bb1 weight 1:
               call fn1@odd(r0)
               jump bb1()
             bb2 weight 5:
               return
             }",
        );
        let flow = &setting.flow;
        assert_eq!(flow.to_end(setting.node("even", 0, 0)), Some(9));
        assert_eq!(flow.to_end(setting.node("odd", 0, 0)), Some(18));
        assert_eq!(flow.to_end(setting.node("even", 1, 0)), Some(28));
        assert_eq!(flow.to_end(setting.node("odd", 1, 0)), None);
        let distances = setting.distances(&[("odd", 1)]);
        assert_eq!(distances.of(setting.node("even", 0, 0)), Some(2 + 1 + 4 + 9));
    }

    #[test]
    fn what_only_a_type_speaks_for_comes_last() {
        let program = umbra_ir::parse(
            "g0 @table: 16 align 8 = zero 16 with 0: fn1@listed, 8: fn2@other
             fn0 @main(r0: i1) {
             bb0:
               branch r0, bb1(), bb2()
             bb1:
               r1: ptr = call fn3@given()
               call r1(i32 1)
               jump bb2()
             bb2:
               r2: ptr = load ptr g0@table
               call r2(i32 2)
               branch r0, bb3(), bb4()
             bb3:
               return
             bb4:
               return
             }
             fn1 @listed(r0: i32) {
             bb0:
               return
             }
             fn2 @other(r0: i32) {
             bb0:
               return
             }
             fn3 @given() -> ptr",
        )
        .map_err(|error| error.to_string());
        let program = program.expect("the text is right");
        let pointers = PointsTo::new(&program);
        let calls = CallGraph::of_pointers(&program, &pointers);
        let flow = Flow::in_measure(&program, &calls, Measure::Branches);
        let setting = Setting { program, flow };
        let listed = setting.distances(&[("listed", 0)]);
        assert_eq!(listed.of(setting.node("main", 0, 0)), Some(1));
        // No table of this call has it, so only the call through what the machine gave leads there.
        let other = setting.distances(&[("other", 0)]);
        assert_eq!(other.of(setting.node("main", 0, 0)), Some(1 + BY_TYPE));
        assert_eq!(other.of(setting.node("main", 2, 0)), None);
        // Whatever is called, the call returns.
        let last = setting.distances(&[("main", 4)]);
        assert_eq!(last.of(setting.node("main", 1, 0)), Some(1));
    }

    #[test]
    fn an_indirect_call_leads_into_all_it_may_reach() {
        let setting = Setting::new(include_str!("../tests/indirect.ir"));
        for (target, expected) in [("in_code", Some(3)), ("never_taken", None)] {
            let distances = setting.distances(&[(target, 0)]);
            assert_eq!(distances.of(setting.node("main", 0, 0)), expected, "{target}");
        }
    }
}
