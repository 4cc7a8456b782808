//! Why no run comes to a target, where that can be proved.
//!
//! What a proof relies on is what the analyses rely on: see [`Conditions`]. A function whose address is taken
//! counts as called by somebody, so dead code that a table mentions is not said to be dead.

use umbra_ir::{BlockId, BlockPlace, Body, FunctionId, Id};

use crate::distance::Distances;
use crate::precondition::{Conditions, Preconditions};

/// A reason why no run comes to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unreachable {
    /// Nothing calls the function, and nothing takes its address.
    NoCaller,
    /// Only functions call it that are not called themselves.
    DeadCallers,
    /// The target is in no function that is executed.
    NoCode,
    /// No edge leads to the block, or only from blocks like it.
    NoWayInFunction,
    /// All ways to it lead over calls that do not return.
    NoWay,
    /// On every way to it, conditions contradict each other or what the program starts with.
    Condition,
}

impl Conditions<'_> {
    /// Why no run that begins at the start of a function comes to a block, if that is proved.
    ///
    /// The preconditions are those of the block, and of this start.
    pub fn why_unreachable(
        &self,
        target: BlockPlace,
        start: FunctionId,
        found: &Preconditions,
    ) -> Option<Unreachable> {
        let Some(body) = &self.program.functions[target.function].body else {
            return Some(Unreachable::NoCode);
        };
        if body.blocks.get(target.block).is_none() {
            return Some(Unreachable::NoCode);
        }
        if let Some(reason) = self.is_dead(target.function, start) {
            return Some(reason);
        }
        if !leads_to(body, target.block) {
            return Some(Unreachable::NoWayInFunction);
        }
        if self.has_no_way(target, start) {
            return Some(Unreachable::NoWay);
        }
        found.is_unreachable(self.program).then_some(Unreachable::Condition)
    }

    fn is_dead(&self, function: FunctionId, start: FunctionId) -> Option<Unreachable> {
        let all = self.program.functions.ids();
        let begins = |&id: &FunctionId| id == start || self.calls.is_address_taken(id);
        let mut open: Vec<FunctionId> = all.filter(begins).collect();
        let mut alive = vec![false; self.program.functions.len()];
        while let Some(function) = open.pop() {
            if !std::mem::replace(&mut alive[function.index()], true) {
                open.extend_from_slice(self.calls.callees(function));
            }
        }
        let has_caller = !self.calls.callers(function).is_empty();
        match (alive[function.index()], has_caller) {
            (true, _) => None,
            (false, true) => Some(Unreachable::DeadCallers),
            (false, false) => Some(Unreachable::NoCaller),
        }
    }

    /// Whether neither the start nor what the machine may call leads to the target, whatever conditions say.
    fn has_no_way(&self, target: BlockPlace, start: FunctionId) -> bool {
        let node = self.flow.node(target.function, target.block, 0);
        let distances = Distances::new(self.flow, node);
        let leads = |function: FunctionId| {
            let entry = self.flow.node(function, BlockId::from_index(0), 0);
            entry.is_some_and(|entry| distances.of(entry).is_some())
        };
        let begins = |&id: &FunctionId| id == start || self.calls.is_address_taken(id);
        // Behind a `setjmp`, control may go on that did not come over the call.
        !self.has_jumps() && !self.program.functions.ids().filter(begins).any(leads)
    }
}

/// Whether the first block of a function leads to another one.
fn leads_to(body: &Body, target: BlockId) -> bool {
    let mut seen = vec![false; body.blocks.len()];
    let mut open = vec![BlockId::from_index(0)];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut seen[block.index()], true) {
            let edges = body.blocks[block].terminator.edges();
            open.extend(edges.into_iter().map(|edge| edge.block));
        }
    }
    seen[target.index()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_graph::CallGraph;
    use crate::flow::{Flow, Measure};
    use crate::points_to::PointsTo;

    const TEXT: &str = "
        g0 @never_set: 4 align 4 = zero
        g1 @set: 4 align 4 = zero
        fn0 @main(r0: i32) {
        bb0:
          store r0, ptr g1@set
          r1: i32 = load ptr g0@never_set
          r2: i1 = icmp eq r1, i32 1
          branch r2, bb1(), bb2()
        bb1:
          call fn1@called()
          return
        bb2:
          r3: i32 = load ptr g1@set
          r4: i1 = icmp eq r3, i32 1
          branch r4, bb3(), bb4()
        bb3:
          r5: i1 = icmp eq r0, i32 2
          branch r5, bb5(), bb4()
        bb4:
          call fn4@stops()
          jump bb6()
        bb5:
          return
        bb6:
          return
        bb7:
          return
        }
        fn1 @called() {
        bb0:
          return
        }
        fn2 @dead() {
        bb0:
          call fn3@below()
          return
        }
        fn3 @below() {
        bb0:
          return
        }
        fn4 @stops() {
        bb0:
          call fn5@exit()
          jump bb1()
        bb1:
          jump bb1()
        }
        fn5 @exit()
        ";

    #[test]
    fn what_is_unreachable_has_a_reason() {
        let program = umbra_ir::parse(TEXT).expect("the text is right");
        let pointers = PointsTo::new(&program);
        let calls = CallGraph::of_pointers(&program, &pointers);
        let flow = Flow::in_measure(&program, &calls, Measure::Branches);
        let conditions = Conditions::new(&program, &calls, &flow, &pointers);
        let start = FunctionId::from_index(0);
        for (function, block, expected) in [
            (0, 0, None),
            (0, 1, Some(Unreachable::Condition)),
            (0, 2, None),
            (0, 3, None),
            (0, 4, None),
            // `r0` was stored, and is 1 there.
            (0, 5, Some(Unreachable::Condition)),
            (0, 6, Some(Unreachable::NoWay)),
            (0, 7, Some(Unreachable::NoWayInFunction)),
            (0, 8, Some(Unreachable::NoCode)),
            (1, 0, Some(Unreachable::Condition)),
            (2, 0, Some(Unreachable::NoCaller)),
            (3, 0, Some(Unreachable::DeadCallers)),
            (4, 1, None),
            (5, 0, Some(Unreachable::NoCode)),
        ] {
            let function = FunctionId::from_index(function);
            let target = BlockPlace { function, block: BlockId::from_index(block) };
            let found = conditions.before(target, start);
            let reason = conditions.why_unreachable(target, start, &found);
            assert_eq!(reason, expected, "{target:?}");
        }
    }
}
