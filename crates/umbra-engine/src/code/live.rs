//! Which slots of a frame are alive: somebody may read what they hold now.
//!
//! Where two versions are joined, only these are compared. A slot that nobody reads any more, or that was not
//! written yet, holds whatever was there before, and that is no difference between versions. Nor is what only one version
//! reads: the other one's is garbage.
//!
//! The usual backward analysis over the operations of a function, done when it is first asked for.
//! `setjmp` returns again from any later call, so what is alive behind it is alive at all calls.

use std::sync::OnceLock;

use umbra_ir::{FunctionId, Id};
use umbra_words::Version;

use super::builtin::Builtin;
use super::image::Image;
use super::op::{Op, Slot, Target};

/// Sets of more bits than this in one function are not computed; all of its slots count as alive.
const MAX_BITS: usize = 1 << 26;

/// The slots that are alive at some place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Alive(Vec<u64>);

impl Alive {
    fn none(slots: usize) -> Self {
        Self(vec![0; slots.div_ceil(64)])
    }

    fn all(slots: usize) -> Self {
        Self(vec![u64::MAX; slots.div_ceil(64)])
    }

    /// Whether a slot is.
    pub(crate) fn contains(&self, slot: usize) -> bool {
        self.0[slot / 64] >> (slot % 64) & 1 == 1
    }

    fn insert(&mut self, slot: Slot) {
        self.0[slot as usize / 64] |= 1 << (slot % 64);
    }

    fn remove(&mut self, slot: Slot) {
        self.0[slot as usize / 64] &= !(1 << (slot % 64));
    }

    fn extend(&mut self, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(word, other)| *word |= other);
    }
}

/// What is alive in a function, for one version.
#[derive(Debug)]
pub(crate) struct Liveness {
    version: Version,
    /// The first target of the function.
    first: Target,
    /// What is alive before each of its targets.
    before: Vec<Alive>,
    /// What is alive behind the calls of `setjmp`.
    behind_jumps: Alive,
}

/// The liveness of each function that somebody has asked for, for the old version and for the new one.
#[derive(Debug, Default)]
pub(crate) struct Livenesses(Vec<[OnceLock<Option<Liveness>>; 2]>);

impl Livenesses {
    pub(super) fn new(functions: usize) -> Self {
        Self((0..functions).map(|_| Default::default()).collect())
    }
}

impl Image {
    /// The slots that a version may read from the operation at `pc` on.
    pub(crate) fn alive_at(&self, pc: u32, version: Version) -> Alive {
        let function = self.function_of(pc);
        let slots = self.functions[function.index()].frame as usize;
        let [old, new] = &self.livenesses.0[function.index()];
        let computed = match version {
            Version::Old => old,
            Version::New => new,
        };
        let computed = computed.get_or_init(|| self.liveness(function, version));
        let Some(liveness) = computed else { return Alive::all(slots) };
        let target = self.headers.partition_point(|header| header.pc <= pc) - 1;
        self.alive_in(liveness, target as Target, pc, slots)
    }

    fn liveness(&self, function: FunctionId, version: Version) -> Option<Liveness> {
        let code = &self.functions[function.index()];
        let (first, slots) = (code.entry?, code.frame as usize);
        let at = self.starts.iter().position(|&(_, other)| other == function)?;
        let end = self.starts.get(at + 1).map_or(self.ops.len() as u32, |&(start, _)| start);
        let targets = self.headers.partition_point(|header| header.pc < end) - first as usize;
        if targets.saturating_mul(slots) > MAX_BITS {
            return None;
        }
        let (before, behind_jumps) = (vec![Alive::none(slots); targets], Alive::none(slots));
        let mut liveness = Liveness { version, first, before, behind_jumps };
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for target in (first..first + targets as Target).rev() {
                let start = self.headers[target as usize].pc;
                let jumps = self.behind_jumps(&liveness, target, slots);
                let alive = self.alive_in(&liveness, target, start, slots);
                let known = &mut liveness.before[(target - first) as usize];
                is_stable &= *known == alive && liveness.behind_jumps == jumps;
                *known = alive;
                liveness.behind_jumps = jumps;
            }
        }
        Some(liveness)
    }

    /// The first operation behind a target.
    fn end_of(&self, target: Target) -> u32 {
        let next = self.headers.get(target as usize + 1);
        next.map_or(self.ops.len() as u32, |header| header.pc)
    }

    /// What is alive before `pc`, which is in this target.
    fn alive_in(&self, liveness: &Liveness, target: Target, pc: u32, slots: usize) -> Alive {
        let mut alive = Alive::none(slots);
        for op in self.ops[pc as usize..self.end_of(target) as usize].iter().rev() {
            self.step_back(liveness, op, &mut alive);
        }
        alive
    }

    /// What is alive behind any call of `setjmp`, with those of this target.
    fn behind_jumps(&self, liveness: &Liveness, target: Target, slots: usize) -> Alive {
        let mut jumps = liveness.behind_jumps.clone();
        let start = self.headers[target as usize].pc;
        for (pc, op) in (start..self.end_of(target)).zip(&self.ops[start as usize..]) {
            if is_set_jump(op) {
                jumps.extend(&self.alive_in(liveness, target, pc + 1, slots));
            }
        }
        jumps
    }

    /// From what is alive after an operation to what is alive before it.
    fn step_back(&self, liveness: &Liveness, op: &Op, alive: &mut Alive) {
        let mut goes_to = |target: Target| {
            alive.extend(&liveness.before[(target - liveness.first) as usize]);
        };
        match *op {
            Op::Jump { to } | Op::MoveJump { to, .. } => goes_to(to),
            Op::Branch { then, otherwise, .. }
            | Op::BranchEq { then, otherwise, .. }
            | Op::BranchUlt { then, otherwise, .. }
            | Op::BranchUle { then, otherwise, .. }
            | Op::BranchSlt { then, otherwise, .. }
            | Op::BranchSle { then, otherwise, .. }
            | Op::BranchEqImm { then, otherwise, .. }
            | Op::BranchUltImm { then, otherwise, .. }
            | Op::BranchUgtImm { then, otherwise, .. }
            | Op::BranchSltImm { then, otherwise, .. }
            | Op::BranchSgtImm { then, otherwise, .. } => {
                goes_to(then);
                goes_to(otherwise);
            }
            Op::Version { old, new } => match liveness.version {
                Version::Old => goes_to(old),
                Version::New => goes_to(new),
            },
            Op::Switch { table, .. } => self.tables[table as usize].targets().for_each(goes_to),
            Op::Call { site, .. }
            | Op::CallIndirect { site, .. }
            | Op::CallBuiltin { site, .. } => {
                let results = &self.sites[site as usize].results;
                results.iter().for_each(|&slot| alive.remove(slot));
                alive.extend(&liveness.behind_jumps);
            }
            _ => {}
        }
        self.visit_writes(op, &mut |slot| alive.remove(slot));
        match *op {
            Op::Change { old, new, .. } => alive.insert(match liveness.version {
                Version::Old => old,
                Version::New => new,
            }),
            _ => self.visit_reads(op, &mut |slot| alive.insert(slot)),
        }
    }
}

fn is_set_jump(op: &Op) -> bool {
    let Op::CallBuiltin { builtin, .. } = op else { return false };
    matches!(builtin, Builtin::SetJump | Builtin::SetSignalJump)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::{Inputs, Memory, UninitialisedReads};

    /// How many slots are alive before each block of the last function, for both versions alike.
    fn counts(text: &str) -> Vec<u32> {
        let [old, new] = Version::BOTH.map(|version| counts_of(text, version));
        assert_eq!(old, new);
        new
    }

    fn counts_of(text: &str, version: Version) -> Vec<u32> {
        let program = umbra_ir::parse(text).expect("the program is well-formed");
        let mut memory = Memory::new(1 << 20, UninitialisedReads::Zero);
        let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
        let function = image.program.functions.ids().last().expect("there is one");
        let blocks = image.program.functions[function].body.as_ref().expect("a body").blocks.len();
        let first = image.functions[function.index()].entry.expect("it was lowered");
        let alive = |target: usize| image.alive_at(image.headers[target].pc, version);
        let count = |target| alive(target).0.iter().map(|word| word.count_ones()).sum();
        (first as usize..first as usize + blocks).map(count).collect()
    }

    #[test]
    fn what_is_read_later_is_alive_up_to_there() {
        let text = "
            fn0 @__VERIFIER_nondet_int() -> i32
            fn1 @main() -> i32 {
            bb0 weight 1:
              r0: i32 = call fn0()
              r1: i32 = call fn0()
              r2: i1 = icmp ult r0, i32 10
              branch r2, bb1(), bb2()
            bb1 weight 1:
              r3: i32 = add r1, i32 1
              return r3
            bb2 weight 1:
              return i32 2
            }";
        assert_eq!(counts(text), [0, 1, 0]);
    }

    #[test]
    fn what_a_version_reads_is_alive_for_it() {
        let text = "
            fn0 @__VERIFIER_nondet_int() -> i32
            fn1 @main() -> i32 {
            bb0 weight 1:
              r0: i32 = call fn0()
              r1: i32 = call fn0()
              r2: i32 = call fn0()
              jump bb1()
            bb1 weight 1:
              r3: i32 = change r0, r1
              version bb2(), bb3()
            bb2 old weight 1:
              return r3
            bb3 new weight 1:
              r4: i32 = add r2, r3
              return r4
            }";
        // One number and its change; the other one and what is added to it.
        assert_eq!(counts_of(text, Version::Old), [0, 1, 1, 2]);
        assert_eq!(counts_of(text, Version::New), [0, 2, 1, 2]);
    }

    #[test]
    fn what_a_loop_reads_is_alive_in_all_of_it() {
        let text = "
            fn0 @__VERIFIER_nondet_int() -> i32
            fn1 @main() -> i32 {
            bb0 weight 1:
              r0: i32 = call fn0()
              jump bb1(i32 0)
            bb1(r1: i32) weight 1:
              r2: i32 = add r1, r0
              r3: i1 = icmp ult r2, i32 10
              branch r3, bb2(), bb3()
            bb2 weight 1:
              r4: i32 = add r2, i32 1
              jump bb1(r4)
            bb3 weight 1:
              return r2
            }";
        assert_eq!(counts(text), [0, 2, 2, 1]);
    }

    #[test]
    fn what_is_read_behind_setjmp_is_alive_at_later_calls() {
        let text = |called: &str| {
            format!(
                "
                fn0 @__VERIFIER_nondet_int() -> i32
                fn1 @{called}(ptr) -> i32
                fn2 @main(r0: ptr) -> i32 {{
                bb0 weight 1:
                  r1: i32 = call fn0()
                  r2: i32 = call fn1(r0)
                  r3: i1 = icmp eq r2, i32 0
                  branch r3, bb1(), bb2()
                bb1 weight 1:
                  r4: i32 = call fn0()
                  return r4
                bb2 weight 1:
                  return r1
                }}"
            )
        };
        assert_eq!(counts(&text("free")), [1, 0, 1]);
        // The call in bb1 may come back to bb0, and go on to bb2.
        let behind = counts(&text("setjmp"));
        assert!(behind[1] >= 1, "{behind:?}");
    }
}
