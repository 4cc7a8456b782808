//! Tests of the symbolic loop, on programs in the text form.

use std::collections::BTreeMap;
use std::sync::Arc;

use umbra_expr::Assignment;

use crate::{
    Fork, ForkReason, Forks, Image, Inputs, Limits, Machine, Memory, NoSystem, OtherSide, Parked,
    Path, Process, Shared, State, Termination, UninitialisedReads,
};

/// Keeps every other side that some value of the one input byte takes: all 256 are tried, so that no
/// solver is needed.
#[derive(Default)]
struct AllValues {
    kept: Vec<Parked>,
    /// Targets of the other sides of switches.
    switched: Vec<Option<u32>>,
}

impl Forks for AllValues {
    fn other_side(&mut self, shared: &mut Shared, path: &Path, fork: &Fork) -> OtherSide {
        let array = shared.expressions.arrays().next().expect("there is one input").0;
        let terms: Vec<_> =
            path.constraints().to_vec().into_iter().chain([fork.condition]).collect();
        for value in 0..=u8::MAX {
            let mut assignment = Assignment::new();
            assignment.set(array, 0, value);
            let mut run = shared.evaluation(&assignment);
            if terms.iter().all(|&term| run.is_true(term)) {
                return OtherSide::Keep(Some(assignment));
            }
        }
        OtherSide::Drop
    }

    fn keep(&mut self, parked: Parked, fork: &Fork) {
        if fork.reason == ForkReason::Switch {
            self.switched.push(fork.target);
        }
        self.kept.push(parked);
    }
}

/// How all paths end, in pauses of `budget` instructions: how often each way.
fn explore(text: &str, budget: u64) -> BTreeMap<String, u32> {
    explore_with(text, budget, &mut AllValues::default())
}

fn explore_with(text: &str, budget: u64, forks: &mut AllValues) -> BTreeMap<String, u32> {
    let program = umbra_ir::parse(text).expect("the program is well-formed");
    let mut memory = Memory::new(1 << 20, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let mut state = State::new(memory, Box::new(NoSystem), Limits::default());
    let process = Process::concrete(&[b"main".to_vec()], &[], [0; 4]);
    Machine::new(&image, &mut state, &mut shared, forks).start(&process).expect("it starts");
    let mut ends = BTreeMap::new();
    loop {
        let end = loop {
            let mut machine = Machine::new(&image, &mut state, &mut shared, forks);
            if let Some(end) = machine.run(budget) {
                break end;
            }
        };
        let name = match end {
            Termination::Exited(status) => format!("exit {status}"),
            Termination::Error(report) => report.kind.name().to_owned(),
            other => format!("{other:?}"),
        };
        *ends.entry(name).or_default() += 1;
        match forks.kept.pop() {
            Some(parked) => state.resume(&image, parked),
            None => return ends,
        }
    }
}

fn check(text: &str, expected: &[(&str, u32)]) {
    let expected: BTreeMap<String, u32> =
        expected.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    for budget in [1, 1_000_000] {
        assert_eq!(explore(text, budget), expected, "with a budget of {budget}");
    }
}

#[test]
fn a_branch_has_two_sides() {
    check(
        "
        fn0 @__VERIFIER_nondet_uchar() -> i8
        fn1 @main() -> i32 {
        bb0 weight 1:
          r0: i8 = call fn0()
          r1: i1 = icmp ult r0, i8 10
          branch r1, bb1(), bb2()
        bb1 weight 1:
          return i32 1
        bb2 weight 1:
          return i32 2
        }",
        &[("exit 1", 1), ("exit 2", 1)],
    );
}

#[test]
fn a_number_drives_out_the_expression_in_its_slot() {
    // The loop's register is the input first and a number from then on; they share a slot.
    check(
        "
        fn0 @__VERIFIER_nondet_uchar() -> i8
        fn1 @main() -> i32 {
        bb0 weight 1:
          r0: i8 = call fn0()
          jump bb1(r0, i8 0)
        bb1(r1: i8, r2: i8) weight 2:
          r3: i1 = icmp eq r1, i8 7
          branch r3, bb3(), bb2()
        bb2 weight 2:
          r4: i8 = add r2, i8 1
          r5: i1 = icmp ult r4, i8 3
          branch r5, bb1(i8 5, r4), bb4()
        bb3 weight 1:
          return i32 1
        bb4 weight 1:
          return i32 2
        }",
        &[("exit 1", 1), ("exit 2", 1)],
    );
}

#[test]
fn a_division_is_checked_for_all_inputs() {
    check(
        "
        fn0 @__VERIFIER_nondet_uchar() -> i8
        fn1 @main() -> i32 {
        bb0 weight 1:
          r0: i8 = call fn0()
          r1: i8 = and r0, i8 12
          r2: i8 = udiv i8 100, r1
          r3: i1 = icmp eq r2, i8 25
          branch r3, bb1(), bb2()
        bb1 weight 1:
          return i32 1
        bb2 weight 1:
          return i32 2
        }",
        &[("exit 1", 1), ("exit 2", 1), ("division-by-zero", 1)],
    );
}

const SWITCH: &str = "
        fn0 @__VERIFIER_nondet_uchar() -> i8
        fn1 @main() -> i32 {
        bb0 weight 1:
          r0: i8 = call fn0()
          switch r0 {i8 1: bb1(), i8 2: bb1(), i8 3: bb2(), i8 4: bb1(), i8 9: bb1(), else: bb3()}
        bb1 weight 1:
          return i32 1
        bb2 weight 1:
          return i32 2
        bb3 weight 1:
          return i32 3
        }";

#[test]
fn a_switch_goes_to_each_target_once() {
    check(SWITCH, &[("exit 1", 1), ("exit 2", 1), ("exit 3", 1)]);
}

#[test]
fn blocks_that_have_not_run_are_sides_of_a_switch_of_their_own() {
    let mut forks = AllValues::default();
    explore_with(SWITCH, 1_000_000, &mut forks);
    // None had run, so the first state parts from all others, and these do not part again.
    let [Some(first), Some(second)] = forks.switched[..] else { panic!("{:?}", forks.switched) };
    assert_ne!(first, second);
}
