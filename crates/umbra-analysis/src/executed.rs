//! How near a test comes to a target.
//!
//! A test that runs a block near the target may still be the wrong one to start from: if the way it
//! came to the block contradicts what the target needs, nothing leads on from there. So, as in KATCH
//! (Marinescu and Cadar, FSE 2013), the steps that are useless for the target are taken out of what
//! the test ran, then the blocks that hang loose without them, and the distance of the test is the
//! smallest one of the blocks that are left.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use umbra_ir::{BlockId, BlockPlace, FunctionId, Id, Program};

use crate::call_graph::CallGraph;
use crate::distance::Distances;
use crate::flow::Flow;

/// One step of a run from block to block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Along an edge of a function.
    Jump {
        /// The function.
        function: FunctionId,
        /// The block whose terminator was executed.
        from: BlockId,
        /// The block that came next.
        to: BlockId,
    },
    /// From a call to the first block of the callee.
    Call {
        /// The block of the call.
        from: BlockPlace,
        /// The callee.
        to: FunctionId,
    },
}

impl Step {
    fn ends(self) -> (BlockPlace, BlockPlace) {
        match self {
            Self::Jump { function, from, to } => {
                (BlockPlace { function, block: from }, BlockPlace { function, block: to })
            }
            Self::Call { from, to } => (from, entry(to)),
        }
    }
}

/// The part of a program that a test ran.
#[derive(Clone, Debug, Default)]
pub struct Executed {
    /// Where runs begin: the program's entry, and what the machine calls.
    starts: BTreeSet<(FunctionId, BlockId)>,
    steps: BTreeMap<(FunctionId, BlockId), Vec<Step>>,
}

/// The block of a test that is nearest to a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its distance.
    pub distance: u32,
    /// Where it is.
    pub place: BlockPlace,
}

impl Executed {
    /// What was run from the start of some functions by these steps.
    pub fn new(
        starts: impl IntoIterator<Item = FunctionId>,
        steps: impl IntoIterator<Item = Step>,
    ) -> Self {
        let mut executed = Self::default();
        executed.starts.extend(starts.into_iter().map(|function| key(entry(function))));
        let mut seen = HashSet::new();
        for step in steps.into_iter().filter(|step| seen.insert(*step)) {
            executed.steps.entry(key(step.ends().0)).or_default().push(step);
        }
        executed
    }

    /// What was run, if only the blocks are known: every step between two of them counts as taken.
    ///
    /// Functions that ran though no call of a block that ran leads there were called by the machine.
    pub fn of_blocks(
        program: &Program,
        calls: &CallGraph,
        start: FunctionId,
        blocks: impl IntoIterator<Item = BlockPlace>,
    ) -> Self {
        let ran: HashSet<BlockPlace> = blocks.into_iter().collect();
        let (mut steps, mut called) = (Vec::new(), HashSet::new());
        for &place in &ran {
            let BlockPlace { function, block: from } = place;
            let Some(body) = &program.functions[function].body else { continue };
            let Some(block) = body.blocks.get(from) else { continue };
            for edge in block.terminator.edges() {
                if ran.contains(&BlockPlace { function, block: edge.block }) {
                    steps.push(Step::Jump { function, from, to: edge.block });
                }
            }
            for instruction in &block.instructions {
                let call = &instruction.operation;
                let callees = calls.callees_of_call(program, function, body, call).all();
                for to in callees.filter(|&callee| ran.contains(&entry(callee))) {
                    called.insert(to);
                    steps.push(Step::Call { from: place, to });
                }
            }
        }
        let uncalled = |place: &BlockPlace| *place == entry(place.function);
        let begun = ran.iter().filter(|place| uncalled(place)).map(|place| place.function);
        let begun: Vec<_> = begun.filter(|function| !called.contains(function)).collect();
        Self::new(begun.into_iter().chain([start]), steps)
    }

    /// Where runs begin.
    pub fn starts(&self) -> impl Iterator<Item = BlockPlace> {
        self.starts.iter().map(|&(function, block)| BlockPlace { function, block })
    }

    /// The nearest block that is left without the useless steps; `None` if no way leads to the target.
    pub fn nearest(
        &self,
        flow: &Flow,
        distances: &Distances,
        is_useless: &dyn Fn(&Step) -> bool,
    ) -> Option<Nearest> {
        let mut left = self.starts.clone();
        let mut open: Vec<_> = left.iter().copied().collect();
        while let Some(place) = open.pop() {
            for step in self.steps.get(&place).into_iter().flatten() {
                let to = key(step.ends().1);
                if !left.contains(&to) && !is_useless(step) {
                    left.insert(to);
                    open.push(to);
                }
            }
        }
        let near = left.iter().filter_map(|&(function, block)| {
            let distance = distances.of(flow.node(function, block, 0)?)?;
            Some(Nearest { distance, place: BlockPlace { function, block } })
        });
        near.min_by_key(|nearest| nearest.distance)
    }
}

fn entry(function: FunctionId) -> BlockPlace {
    BlockPlace { function, block: BlockId::from_index(0) }
}

fn key(place: BlockPlace) -> (FunctionId, BlockId) {
    (place.function, place.block)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::Measure;

    // Two ways to the branch in `bb3`; `fn1` is called on one of them.
    const TEXT: &str = "
        fn0 @main(r0: i1, r1: i1) {
        bb0:
          branch r0, bb1(), bb2()
        bb1:
          call fn1@near(r1)
          jump bb3()
        bb2:
          jump bb3()
        bb3:
          branch r1, bb4(), bb5()
        bb4:
          return
        bb5:
          return
        }
        fn1 @near(r0: i1) {
        bb0:
          branch r0, bb1(), bb2()
        bb1:
          return
        bb2:
          return
        }";

    fn jump(function: usize, from: usize, to: usize) -> Step {
        let [from, to] = [from, to].map(BlockId::from_index);
        Step::Jump { function: FunctionId::from_index(function), from, to }
    }

    fn place(function: usize, block: usize) -> BlockPlace {
        let function = FunctionId::from_index(function);
        BlockPlace { function, block: BlockId::from_index(block) }
    }

    struct Setting {
        program: Program,
        calls: CallGraph,
        flow: Flow,
        distances: Distances,
    }

    impl Setting {
        fn new(target: BlockPlace) -> Self {
            let program = umbra_ir::parse(TEXT).expect("the text is right");
            let calls = CallGraph::new(&program);
            let flow = Flow::in_measure(&program, &calls, Measure::Branches);
            let node = flow.node(target.function, target.block, 0).expect("the place is there");
            let distances = Distances::new(&flow, [node]);
            Self { program, calls, flow, distances }
        }

        fn nearest(&self, executed: &Executed, useless: &[Step]) -> Option<(u32, BlockPlace)> {
            let is_useless = |step: &Step| useless.contains(step);
            let nearest = executed.nearest(&self.flow, &self.distances, &is_useless)?;
            Some((nearest.distance, nearest.place))
        }
    }

    #[test]
    fn the_nearest_block_that_is_left_counts() {
        let setting = Setting::new(place(1, 2));
        let main = FunctionId::from_index(0);
        let near = FunctionId::from_index(1);
        let call = Step::Call { from: place(0, 1), to: near };
        let steps = [jump(0, 0, 1), call, jump(1, 0, 1), jump(0, 1, 3), jump(0, 3, 4)];
        let executed = Executed::new([main], steps);
        assert_eq!(setting.nearest(&executed, &[]), Some((1, place(0, 1))));
        // Without the way to the call, only the start is left.
        assert_eq!(setting.nearest(&executed, &[jump(0, 0, 1)]), Some((2, place(0, 0))));
        assert_eq!(setting.nearest(&executed, &[call]), Some((1, place(0, 1))));
        // A target that ran has distance 0, and one without a way to it none.
        let all = steps.into_iter().chain([jump(1, 0, 2)]);
        assert_eq!(setting.nearest(&Executed::new([main], all), &[]), Some((0, place(1, 2))));
        let executed = Executed::new([near], [jump(1, 0, 1)]);
        assert_eq!(setting.nearest(&executed, &[]), Some((1, place(1, 0))));
        assert_eq!(setting.nearest(&Executed::new([], []), &[]), None);
    }

    #[test]
    fn what_hangs_loose_does_not_count() {
        let setting = Setting::new(place(0, 5));
        let main = FunctionId::from_index(0);
        let executed = Executed::new([main], [jump(0, 0, 2), jump(0, 2, 3), jump(0, 3, 4)]);
        assert_eq!(setting.nearest(&executed, &[]), Some((1, place(0, 2))));
        assert_eq!(setting.nearest(&executed, &[jump(0, 0, 2)]), Some((2, place(0, 0))));
    }

    #[test]
    fn blocks_alone_say_which_steps_may_have_been_taken() {
        let setting = Setting::new(place(1, 2));
        let main = FunctionId::from_index(0);
        let ran = [place(0, 0), place(0, 1), place(0, 3), place(0, 4), place(1, 0), place(1, 1)];
        let executed = Executed::of_blocks(&setting.program, &setting.calls, main, ran);
        assert_eq!(setting.nearest(&executed, &[]), Some((1, place(0, 1))));
        assert_eq!(setting.nearest(&executed, &[jump(0, 0, 1)]), Some((2, place(0, 0))));
        // What nobody called was called by the machine.
        let executed = Executed::of_blocks(&setting.program, &setting.calls, main, [place(1, 0)]);
        assert_eq!(setting.nearest(&executed, &[]), Some((1, place(1, 0))));
    }
}
