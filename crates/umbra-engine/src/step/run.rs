//! The loop over operations on words.
//!
//! Every operation here is a line or two; the loop is long because there are many. It neither
//! allocates nor hashes. The registers are one array whose index is a slot, so no access to one is
//! checked; blocks count their instructions when they are entered.
//!
//! The loop comes in two forms: one that runs on, and one that does a single operation for the
//! symbolic loop, which calls it for operations whose operands are all numbers.

use umbra_ir::{FloatKind, Id, Predicate};

use super::{Machine, Step, Stop, float};
use crate::code::Op;
use crate::memory::{Fault, FaultKind};
use crate::shadow::Mode;
use crate::state::{FRAME_COST, Frame, FrameKind, WINDOW};
use crate::termination::ErrorKind;

/// Sign-extends a value of `64 - shift` bits.
#[inline(always)]
pub(super) fn signed(value: u64, shift: u8) -> i64 {
    ((value << shift) as i64) >> shift
}

/// Cuts a value to `64 - shift` bits.
#[inline(always)]
fn cut(value: u64, shift: u8) -> u64 {
    value & (u64::MAX >> shift)
}

/// What x86 makes of a shift amount.
#[inline(always)]
fn amount(value: u64, shift: u8) -> u32 {
    (value & if shift >= 32 { 31 } else { 63 }) as u32
}

#[inline(always)]
pub(crate) fn compare(predicate: Predicate, shift: u8, a: u64, b: u64) -> bool {
    match predicate {
        Predicate::Eq => a == b,
        Predicate::Ne => a != b,
        Predicate::Ugt => a > b,
        Predicate::Uge => a >= b,
        Predicate::Ult => a < b,
        Predicate::Ule => a <= b,
        Predicate::Sgt => signed(a, shift) > signed(b, shift),
        Predicate::Sge => signed(a, shift) >= signed(b, shift),
        Predicate::Slt => signed(a, shift) < signed(b, shift),
        Predicate::Sle => signed(a, shift) <= signed(b, shift),
    }
}

/// The words of the frame at `base`, and what lies behind them.
#[inline(always)]
fn window(registers: &mut [u64], base: usize) -> &mut [u64; WINDOW] {
    registers[base..].first_chunk_mut().expect("the register file extends past the frame")
}

impl Machine<'_> {
    /// Where the current frame starts, and which of its slots hold expressions.
    #[inline(always)]
    fn frame_bounds(&self) -> (usize, u64) {
        let frame = self.state.frames.last();
        frame.map_or((0, 0), |frame| (frame.base as usize, frame.symbolic))
    }

    /// Steps until the path ends (an error) or `limit` instructions are reached.
    pub(super) fn run_words(&mut self, limit: u64) -> Step {
        self.run_operations::<false>(limit)
    }

    /// Does the operation at `pc`, whose operands are numbers.
    pub(super) fn step_words(&mut self) -> Step {
        self.run_operations::<true>(u64::MAX)
    }

    fn run_operations<const SINGLE: bool>(&mut self, mut limit: u64) -> Step {
        let image = self.image;
        let ops = image.ops.as_slice();
        let headers = image.headers.as_slice();
        let mut pc = self.state.pc as usize;
        let (mut base, mut symbolic) = self.frame_bounds();
        // Borrows the registers only, so that memory can be used beside it.
        let mut r: &mut [u64; WINDOW] = window(&mut self.state.registers, base);

        macro_rules! get {
            ($slot:expr) => {
                r[$slot as usize]
            };
        }
        macro_rules! set {
            ($slot:expr, $value:expr) => {{
                let value = $value;
                r[$slot as usize] = value;
                pc += 1;
            }};
        }
        // Runs something outside of the loop, which may change frames and `pc`.
        macro_rules! leave {
            ($call:expr) => {{
                self.state.pc = pc as u32;
                $call?;
                pc = self.state.pc as usize;
                (base, symbolic) = self.frame_bounds();
                r = window(&mut self.state.registers, base);
            }};
        }
        // The same for what runs expressions, and says whether to stop. A pause that is due in the middle of a block is
        // made before the next one.
        macro_rules! leave_symbolic {
            ($call:expr) => {{
                self.state.pc = pc as u32;
                if $call? {
                    return Ok(());
                }
                pc = self.state.pc as usize;
                (base, symbolic) = self.frame_bounds();
                r = window(&mut self.state.registers, base);
                if self.paused {
                    limit = 0;
                }
            }};
        }
        // Enters a block or edge.
        macro_rules! enter {
            ($target:expr) => {{
                let target = $target as usize;
                let header = &headers[target];
                if !self.shared.coverage.is_covered(target as u32) {
                    self.shared.coverage.cover(target as u32);
                }
                self.state.instructions += u64::from(header.weight);
                pc = header.pc as usize;
                if SINGLE {
                    self.entered = Some(target as u32);
                    continue;
                }
                if self.state.instructions >= limit {
                    self.state.pc = pc as u32;
                    return Ok(());
                }
                if symbolic & header.touches != 0 {
                    leave_symbolic!(self.run_symbolic(limit));
                }
            }};
        }
        // Goes on in the middle of a block, perhaps of another frame: if that frame holds
        // expressions, the rest of the block may read them.
        macro_rules! resume_symbolic {
            () => {
                if !SINGLE && symbolic != 0 {
                    leave_symbolic!(self.run_symbolic(limit));
                }
            };
        }
        macro_rules! load {
            ($bytes:literal, $d:expr, $address:expr) => {{
                let address = $address;
                match self.state.memory.load::<$bytes>(address) {
                    Ok(value) => set!($d, value),
                    Err(fault) => {
                        leave_symbolic!(self.load_fault::<SINGLE>(&fault, limit));
                    }
                }
            }};
        }
        macro_rules! store {
            ($bytes:literal, $v:expr, $address:expr) => {{
                let (address, value) = ($address, get!($v));
                match self.state.memory.store::<$bytes>(address, value) {
                    Ok(()) => pc += 1,
                    Err(fault) => return self.memory_fault(pc, &fault),
                }
            }};
        }
        macro_rules! index {
            ($a:expr, $index:expr, $scale:expr, $offset:expr) => {
                get!($a)
                    .wrapping_add(get!($index).wrapping_mul($scale as i64 as u64))
                    .wrapping_add($offset as i64 as u64)
            };
        }

        // Copies the words of the arguments and enters the callee; whatever needs more goes the
        // slow way.
        macro_rules! call {
            ($function:expr, $site:expr) => {{
                let (function, site) = ($function, $site);
                let code = &image.functions[function.index()];
                let call = &image.sites[site as usize];
                let callee = base + call.frame as usize;
                let state = &mut *self.state;
                if call.signature != code.signature
                    || callee + 2 * WINDOW > state.registers.len()
                    || state.stack_used + FRAME_COST > state.limits.stack
                {
                    leave!(self.call(function, site));
                    continue;
                }
                for (index, word) in call.words.iter().enumerate() {
                    state.registers[callee + index] = word.get(&state.registers[base..]);
                }
                state.stack_used += FRAME_COST;
                let serial = state.next_serial;
                state.next_serial += 1;
                state.frames.push(Frame {
                    function,
                    kind: FrameKind::Call,
                    base: callee as u32,
                    return_pc: pc as u32 + 1,
                    site,
                    objects: state.objects.len() as u32,
                    serial,
                    variadic: 0,
                    symbolic: 0,
                });
                (base, symbolic) = (callee, 0);
                r = window(&mut self.state.registers, base);
                enter!(code.entry.expect("a function with a signature of calls has a body"));
            }};
        }
        // Ends the current call; `$results` says what becomes of the results.
        macro_rules! return_to_caller {
            ($value:expr, $call:ident => $results:expr) => {{
                let state = &mut *self.state;
                let Some(frame) = state.frames.last() else { return self.fail_empty(pc) };
                if frame.kind != FrameKind::Call {
                    leave!(self.return_to_machine($value));
                    resume_symbolic!();
                    continue;
                }
                let (objects, site) = (frame.objects as usize, frame.site as usize);
                pc = frame.return_pc as usize;
                if symbolic != 0 {
                    self.forget_expressions();
                }
                let state = &mut *self.state;
                state.frames.pop();
                state.stack_used -= FRAME_COST;
                if state.objects.len() > objects {
                    self.end_objects(objects);
                }
                (base, symbolic) = self.frame_bounds();
                r = window(&mut self.state.registers, base);
                let $call = &image.sites[site];
                $results
                if symbolic != 0 {
                    self.forget_results(site as u32);
                    r = window(&mut self.state.registers, base);
                    resume_symbolic!();
                }
            }};
        }

        let mut done = false;
        loop {
            if SINGLE && std::mem::replace(&mut done, true) {
                self.state.pc = pc as u32;
                return Ok(());
            }
            match ops[pc] {
                Op::Move { d, a } => set!(d, get!(a)),
                Op::Constant { d, value } => set!(d, value),
                Op::Add { shift, d, a, b } => set!(d, cut(get!(a).wrapping_add(get!(b)), shift)),
                Op::AddImm { shift, d, a, value } => {
                    set!(d, cut(get!(a).wrapping_add(value), shift));
                }
                Op::Sub { shift, d, a, b } => set!(d, cut(get!(a).wrapping_sub(get!(b)), shift)),
                Op::Mul { shift, d, a, b } => set!(d, cut(get!(a).wrapping_mul(get!(b)), shift)),
                Op::MulImm { shift, d, a, value } => {
                    set!(d, cut(get!(a).wrapping_mul(value), shift));
                }
                Op::And { d, a, b } => set!(d, get!(a) & get!(b)),
                Op::AndImm { d, a, value } => set!(d, get!(a) & value),
                Op::Or { d, a, b } => set!(d, get!(a) | get!(b)),
                Op::OrImm { d, a, value } => set!(d, get!(a) | value),
                Op::Xor { d, a, b } => set!(d, get!(a) ^ get!(b)),
                Op::XorImm { d, a, value } => set!(d, get!(a) ^ value),
                Op::Shl { shift, d, a, b } => {
                    set!(d, cut(get!(a) << amount(get!(b), shift), shift));
                }
                Op::ShlImm { shift, d, a, value } => set!(d, cut(get!(a) << value, shift)),
                Op::LShr { shift, d, a, b } => set!(d, get!(a) >> amount(get!(b), shift)),
                Op::LShrImm { d, a, value } => set!(d, get!(a) >> value),
                Op::AShr { shift, d, a, b } => {
                    let value = signed(get!(a), shift) >> amount(get!(b), shift);
                    set!(d, cut(value as u64, shift));
                }
                Op::AShrImm { shift, d, a, value } => {
                    set!(d, cut((signed(get!(a), shift) >> value) as u64, shift));
                }
                Op::UDiv { d, a, b } => match get!(a).checked_div(get!(b)) {
                    Some(value) => set!(d, value),
                    None => return self.fail(pc, ErrorKind::DivisionByZero),
                },
                Op::URem { d, a, b } => match get!(a).checked_rem(get!(b)) {
                    Some(value) => set!(d, value),
                    None => return self.fail(pc, ErrorKind::DivisionByZero),
                },
                Op::SDiv { shift, d, a, b } => {
                    let (x, y) = (signed(get!(a), shift), signed(get!(b), shift));
                    if y == 0 || (y == -1 && x == i64::MIN >> shift) {
                        return self.fail_division(pc, y);
                    }
                    set!(d, cut((x / y) as u64, shift));
                }
                Op::SRem { shift, d, a, b } => {
                    let (x, y) = (signed(get!(a), shift), signed(get!(b), shift));
                    if y == 0 || (y == -1 && x == i64::MIN >> shift) {
                        return self.fail_division(pc, y);
                    }
                    set!(d, cut((x % y) as u64, shift));
                }
                Op::Compare { predicate, shift, d, a, b } => {
                    set!(d, u64::from(compare(predicate, shift, get!(a), get!(b))));
                }
                Op::CompareImm { predicate, shift, d, a, value } => {
                    set!(d, u64::from(compare(predicate, shift, get!(a), value)));
                }
                Op::SignExtend { from, to, d, a } => set!(d, cut(signed(get!(a), from) as u64, to)),
                Op::Relate { relation, a, b } => {
                    self.shared.unrelated.relate(pc as u32, relation, [get!(a), get!(b)]);
                    pc += 1;
                }
                Op::Select { d, c, a, b } => {
                    set!(d, if get!(c) != 0 { get!(a) } else { get!(b) });
                }
                Op::Change { d, old, new } => match self.state.shadow.mode {
                    Mode::New => set!(d, get!(new)),
                    Mode::Old => set!(d, get!(old)),
                    Mode::Both => {
                        leave!(self.change(d, old, new));
                        resume_symbolic!();
                    }
                },
                Op::ChangeImm { d, old, new } => match self.state.shadow.mode {
                    Mode::New => set!(d, u64::from(new)),
                    Mode::Old => set!(d, u64::from(old)),
                    Mode::Both => {
                        leave!(self.change_numbers(d, old, new));
                        resume_symbolic!();
                    }
                },
                Op::Index { d, a, index, scale, offset } => {
                    set!(d, index!(a, index, scale, offset));
                }

                Op::Load8 { d, a, offset } => load!(1, d, get!(a).wrapping_add(offset as u64)),
                Op::Load16 { d, a, offset } => load!(2, d, get!(a).wrapping_add(offset as u64)),
                Op::Load32 { d, a, offset } => load!(4, d, get!(a).wrapping_add(offset as u64)),
                Op::Load64 { d, a, offset } => load!(8, d, get!(a).wrapping_add(offset as u64)),
                Op::LoadIndex8 { d, a, index, scale, offset } => {
                    load!(1, d, index!(a, index, scale, offset));
                }
                Op::LoadIndex16 { d, a, index, scale, offset } => {
                    load!(2, d, index!(a, index, scale, offset));
                }
                Op::LoadIndex32 { d, a, index, scale, offset } => {
                    load!(4, d, index!(a, index, scale, offset));
                }
                Op::LoadIndex64 { d, a, index, scale, offset } => {
                    load!(8, d, index!(a, index, scale, offset));
                }
                Op::Store8 { v, a, offset } => store!(1, v, get!(a).wrapping_add(offset as u64)),
                Op::Store16 { v, a, offset } => store!(2, v, get!(a).wrapping_add(offset as u64)),
                Op::Store32 { v, a, offset } => store!(4, v, get!(a).wrapping_add(offset as u64)),
                Op::Store64 { v, a, offset } => store!(8, v, get!(a).wrapping_add(offset as u64)),
                Op::StoreIndex8 { v, a, index, scale, offset } => {
                    store!(1, v, index!(a, index, scale, offset));
                }
                Op::StoreIndex16 { v, a, index, scale, offset } => {
                    store!(2, v, index!(a, index, scale, offset));
                }
                Op::StoreIndex32 { v, a, index, scale, offset } => {
                    store!(4, v, index!(a, index, scale, offset));
                }
                Op::StoreIndex64 { v, a, index, scale, offset } => {
                    store!(8, v, index!(a, index, scale, offset));
                }

                Op::Jump { to } => enter!(to),
                Op::MoveJump { d, a, to } => {
                    get!(d) = get!(a);
                    enter!(to);
                }
                Op::Branch { a, then, otherwise } => {
                    enter!(if get!(a) != 0 { then } else { otherwise });
                }
                Op::BranchEq { a, b, then, otherwise } => {
                    enter!(if get!(a) == get!(b) { then } else { otherwise });
                }
                Op::BranchUlt { a, b, then, otherwise } => {
                    enter!(if get!(a) < get!(b) { then } else { otherwise });
                }
                Op::BranchUle { a, b, then, otherwise } => {
                    enter!(if get!(a) <= get!(b) { then } else { otherwise });
                }
                Op::BranchSlt { shift, a, b, then, otherwise } => {
                    let less = signed(get!(a), shift) < signed(get!(b), shift);
                    enter!(if less { then } else { otherwise });
                }
                Op::BranchSle { shift, a, b, then, otherwise } => {
                    let less = signed(get!(a), shift) <= signed(get!(b), shift);
                    enter!(if less { then } else { otherwise });
                }
                Op::BranchEqImm { a, value, then, otherwise } => {
                    enter!(if get!(a) == u64::from(value) { then } else { otherwise });
                }
                Op::BranchUltImm { a, value, then, otherwise } => {
                    enter!(if get!(a) < u64::from(value) { then } else { otherwise });
                }
                Op::BranchUgtImm { a, value, then, otherwise } => {
                    enter!(if get!(a) > u64::from(value) { then } else { otherwise });
                }
                Op::BranchSltImm { shift, a, value, then, otherwise } => {
                    let less = signed(get!(a), shift) < i64::from(value);
                    enter!(if less { then } else { otherwise });
                }
                Op::BranchSgtImm { shift, a, value, then, otherwise } => {
                    let greater = signed(get!(a), shift) > i64::from(value);
                    enter!(if greater { then } else { otherwise });
                }
                Op::Switch { a, table } => enter!(image.tables[table as usize].find(get!(a))),

                Op::Version { old, new } => match self.state.shadow.mode {
                    Mode::New => enter!(new),
                    Mode::Old => enter!(old),
                    Mode::Both => {
                        self.state.pc = pc as u32;
                        return Err(Stop::Apart);
                    }
                },

                Op::Call { site, function } => call!(function, site),
                Op::CallIndirect { a, site } => {
                    let address = get!(a);
                    match image.function_at(address) {
                        Some(function) if image.is_plain_call(function, site) => {
                            call!(function, site);
                        }
                        _ => {
                            leave!(self.call_indirect(address, site));
                            resume_symbolic!();
                        }
                    }
                }
                Op::CallBuiltin { builtin, site } => {
                    leave!(self.call_builtin(builtin, site));
                    // A system call may have taken long or kept much.
                    if !SINGLE && self.paused {
                        return Ok(());
                    }
                    resume_symbolic!();
                }
                Op::Return { a } => {
                    let value = get!(a);
                    return_to_caller!(value, call => {
                        if let (&[d, ..], &[ty, ..]) =
                            (call.results.as_slice(), call.result_types.as_slice())
                        {
                            let width = ty.bits().min(64);
                            get!(d) = value & (u64::MAX >> (64 - width));
                        }
                    });
                }
                Op::ReturnVoid => return_to_caller!(0, call => {
                    for &d in &call.results {
                        get!(d) = 0;
                    }
                }),
                Op::ReturnWords { a, count } => {
                    let words = r[a as usize..a as usize + count as usize].to_vec();
                    leave!(self.return_words(&words));
                    resume_symbolic!();
                }

                Op::Alloca { d, local } => leave!(self.alloca(d, local, 1)),
                Op::AllocaCount { d, count, local } => {
                    let count = get!(count);
                    leave!(self.alloca(d, local, count));
                }

                Op::Float { op, kind: FloatKind::Double, d, a, b } => {
                    let (a, b) = (get!(a).into(), get!(b).into());
                    set!(d, float::binary(op, FloatKind::Double, a, b) as u64);
                }
                Op::Float { op, kind, d, a, b } => leave!(self.float_binary(op, kind, d, a, b)),
                Op::FloatCompare { predicate, kind, d, a, b } => {
                    leave!(self.float_compare(predicate, kind, d, a, b));
                }
                op @ (Op::Rare { .. } | Op::ThreadLocal { .. } | Op::Synchronize { .. }) => {
                    leave!(self.seldom(op));
                    resume_symbolic!();
                }
                Op::Unreachable => return self.fail(pc, ErrorKind::Unreachable),
                Op::Unsupported { index } => {
                    return self.unsupported(pc, image.unsupported[index as usize].clone());
                }
            }
        }
    }

    /// A load that needs more than a look at numbers: it goes wrong, or it finds expressions.
    #[cold]
    #[inline(never)]
    fn load_fault<const SINGLE: bool>(&mut self, fault: &Fault, limit: u64) -> Step<bool> {
        if fault.kind != FaultKind::Symbolic {
            return Err(self.fault(*fault));
        }
        self.load_expressions()?;
        if SINGLE { Ok(false) } else { self.run_symbolic(limit) }
    }

    #[cold]
    #[inline(never)]
    fn memory_fault(&mut self, pc: usize, fault: &Fault) -> Step {
        self.state.pc = pc as u32;
        Err(self.fault(*fault))
    }

    #[cold]
    #[inline(never)]
    fn fail(&mut self, pc: usize, kind: ErrorKind) -> Step {
        self.state.pc = pc as u32;
        Err(self.error(kind, String::new()))
    }

    #[cold]
    #[inline(never)]
    fn fail_division(&mut self, pc: usize, divisor: i64) -> Step {
        let zero = divisor == 0;
        self.fail(pc, if zero { ErrorKind::DivisionByZero } else { ErrorKind::DivisionOverflow })
    }

    #[cold]
    #[inline(never)]
    fn fail_empty(&mut self, pc: usize) -> Step {
        self.unsupported(pc, "return without a call".to_owned())
    }

    #[cold]
    #[inline(never)]
    fn unsupported(&mut self, pc: usize, what: String) -> Step {
        self.state.pc = pc as u32;
        Err(self.stop_unsupported(what))
    }
}
