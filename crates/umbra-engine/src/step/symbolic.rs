//! Blocks that read expressions.
//!
//! A register can hold an expression instead of a word: its bit in `Frame::symbolic` is set then.
//! The loop over words tests those bits once per block, against the slots that the block reads, so
//! concrete code pays nothing for them. What to do with such a block is decided here.

use super::{Machine, Step};

impl Machine<'_> {
    /// Runs the block that starts at `pc` with the expressions it reads. There are no expressions
    /// to compute with yet, so the path ends.
    #[cold]
    #[inline(never)]
    pub(super) fn step_symbolic(&mut self) -> Step {
        Err(self.stop_unsupported("symbolic data".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::{
        Answer, Environment, Image, Limits, Machine, Memory, Process, SignalDelivery, State,
        Termination, UninitialisedReads, UserMemory,
    };

    struct NoSystem;

    impl Environment for NoSystem {
        fn system_call(&mut self, _: &mut dyn UserMemory, _: u64, _: [u64; 6]) -> Answer {
            Answer::Unsupported("system calls".to_owned())
        }
        fn handler_returned(&mut self, _: &SignalDelivery) {}
        fn fork(&self) -> Box<dyn Environment> {
            Box::new(Self)
        }
        fn translate(&mut self, _: &mut dyn FnMut(umbra_expr::ExprId) -> umbra_expr::ExprId) {}
    }

    /// Counts down from `r0` and returns 7; the last block reads nothing.
    const COUNTDOWN: &str = "
        fn0 @main(r0: i32) -> i32 {
        bb0 weight 1:
          jump bb1(r0)
        bb1(r1: i32) weight 3:
          r2: i32 = sub r1, i32 1
          r3: i1 = icmp eq r2, i32 0
          branch r3, bb2(), bb1(r2)
        bb2 weight 1:
          return i32 7
        }";

    fn run(symbolic: u64) -> Termination {
        let program = umbra_ir::parse(COUNTDOWN).expect("the program is well-formed");
        let mut memory = Memory::new(1 << 20, UninitialisedReads::Zero);
        let image = Image::new(Arc::new(program), &mut memory);
        let mut state = State::new(&image, memory, Limits::default());
        let mut machine = Machine { image: &image, state: &mut state, environment: &mut NoSystem };
        let process = Process { arguments: vec![b"main".to_vec(); 3], ..Process::default() };
        machine.start(&process).expect("the program starts");
        machine.state.frames[0].symbolic = symbolic;
        loop {
            if let Some(termination) = machine.run(1) {
                return termination;
            }
        }
    }

    #[test]
    fn a_block_that_reads_an_expression_does_not_run_on_words() {
        assert_eq!(run(0), Termination::Exited(7));
        // Slot 0 is the counter; slot 40 is nobody's.
        assert!(matches!(run(1), Termination::Unsupported { .. }));
        assert_eq!(run(1 << 40), Termination::Exited(7));
    }
}
