//! Which slots an operation reads and writes.

use umbra_ir::{FloatKind, Intrinsic, Type};

use super::image::Image;
use super::op::{Op, Rare, Slot, Word};

fn float_words(kind: FloatKind) -> usize {
    Type::Float(kind).words()
}

fn integer_words(bits: u32) -> usize {
    Type::Integer(bits).words()
}

impl Image {
    /// Calls `visit` with every slot the operation reads. (A few more may be named where the operands
    /// of an intrinsic differ in size.)
    pub(crate) fn visit_reads(&self, op: &Op, visit: &mut impl FnMut(Slot)) {
        match *op {
            Op::Constant { .. }
            | Op::ThreadLocal { .. }
            | Op::ChangeImm { .. }
            | Op::Jump { .. }
            | Op::Version { .. }
            | Op::ReturnVoid
            | Op::Alloca { .. }
            | Op::Unreachable
            | Op::Unsupported { .. } => {}
            Op::Move { a, .. }
            | Op::AddImm { a, .. }
            | Op::MulImm { a, .. }
            | Op::AndImm { a, .. }
            | Op::OrImm { a, .. }
            | Op::XorImm { a, .. }
            | Op::ShlImm { a, .. }
            | Op::LShrImm { a, .. }
            | Op::AShrImm { a, .. }
            | Op::CompareImm { a, .. }
            | Op::SignExtend { a, .. }
            | Op::Synchronize { a }
            | Op::Load8 { a, .. }
            | Op::Load16 { a, .. }
            | Op::Load32 { a, .. }
            | Op::Load64 { a, .. }
            | Op::MoveJump { a, .. }
            | Op::Branch { a, .. }
            | Op::BranchEqImm { a, .. }
            | Op::BranchUltImm { a, .. }
            | Op::BranchUgtImm { a, .. }
            | Op::BranchSltImm { a, .. }
            | Op::BranchSgtImm { a, .. }
            | Op::Switch { a, .. }
            | Op::Return { a }
            | Op::AllocaCount { count: a, .. } => visit(a),
            Op::Add { a, b, .. }
            | Op::Sub { a, b, .. }
            | Op::Mul { a, b, .. }
            | Op::And { a, b, .. }
            | Op::Or { a, b, .. }
            | Op::Xor { a, b, .. }
            | Op::Shl { a, b, .. }
            | Op::LShr { a, b, .. }
            | Op::AShr { a, b, .. }
            | Op::UDiv { a, b, .. }
            | Op::URem { a, b, .. }
            | Op::SDiv { a, b, .. }
            | Op::SRem { a, b, .. }
            | Op::Compare { a, b, .. }
            | Op::Relate { a, b, .. }
            | Op::Change { old: a, new: b, .. }
            | Op::Index { a, index: b, .. }
            | Op::LoadIndex8 { a, index: b, .. }
            | Op::LoadIndex16 { a, index: b, .. }
            | Op::LoadIndex32 { a, index: b, .. }
            | Op::LoadIndex64 { a, index: b, .. }
            | Op::Store8 { a, v: b, .. }
            | Op::Store16 { a, v: b, .. }
            | Op::Store32 { a, v: b, .. }
            | Op::Store64 { a, v: b, .. }
            | Op::BranchEq { a, b, .. }
            | Op::BranchUlt { a, b, .. }
            | Op::BranchUle { a, b, .. }
            | Op::BranchSlt { a, b, .. }
            | Op::BranchSle { a, b, .. } => {
                visit(a);
                visit(b);
            }
            Op::Select { c, a, b, .. }
            | Op::StoreIndex8 { v: c, a, index: b, .. }
            | Op::StoreIndex16 { v: c, a, index: b, .. }
            | Op::StoreIndex32 { v: c, a, index: b, .. }
            | Op::StoreIndex64 { v: c, a, index: b, .. } => {
                visit(a);
                visit(b);
                visit(c);
            }
            Op::Call { site, .. } | Op::CallBuiltin { site, .. } => self.visit_words(site, visit),
            Op::CallIndirect { a, site } => {
                visit(a);
                self.visit_words(site, visit);
            }
            Op::ReturnWords { a, count } => (a..a + count).for_each(visit),
            Op::Float { kind, a, b, .. } | Op::FloatCompare { kind, a, b, .. } => {
                let words = float_words(kind);
                span(a, words).chain(span(b, words)).for_each(visit);
            }
            Op::Rare { index } => visit_rare_reads(&self.rares[index as usize], visit),
        }
    }

    fn visit_words(&self, site: u32, visit: &mut impl FnMut(Slot)) {
        for word in &self.sites[site as usize].words {
            if let Word::Slot(slot) = word {
                visit(*slot);
            }
        }
    }

    /// Calls `visit` with every slot the operation writes; those that a call gets its results in are
    /// left out, since they are written when it returns.
    pub(crate) fn visit_writes(&self, op: &Op, visit: &mut impl FnMut(Slot)) {
        match *op {
            Op::Move { d, .. }
            | Op::Constant { d, .. }
            | Op::ThreadLocal { d, .. }
            | Op::Add { d, .. }
            | Op::AddImm { d, .. }
            | Op::Sub { d, .. }
            | Op::Mul { d, .. }
            | Op::MulImm { d, .. }
            | Op::And { d, .. }
            | Op::AndImm { d, .. }
            | Op::Or { d, .. }
            | Op::OrImm { d, .. }
            | Op::Xor { d, .. }
            | Op::XorImm { d, .. }
            | Op::Shl { d, .. }
            | Op::ShlImm { d, .. }
            | Op::LShr { d, .. }
            | Op::LShrImm { d, .. }
            | Op::AShr { d, .. }
            | Op::AShrImm { d, .. }
            | Op::UDiv { d, .. }
            | Op::URem { d, .. }
            | Op::SDiv { d, .. }
            | Op::SRem { d, .. }
            | Op::Compare { d, .. }
            | Op::CompareImm { d, .. }
            | Op::SignExtend { d, .. }
            | Op::Select { d, .. }
            | Op::Change { d, .. }
            | Op::ChangeImm { d, .. }
            | Op::Index { d, .. }
            | Op::Load8 { d, .. }
            | Op::Load16 { d, .. }
            | Op::Load32 { d, .. }
            | Op::Load64 { d, .. }
            | Op::LoadIndex8 { d, .. }
            | Op::LoadIndex16 { d, .. }
            | Op::LoadIndex32 { d, .. }
            | Op::LoadIndex64 { d, .. }
            | Op::MoveJump { d, .. }
            | Op::Alloca { d, .. }
            | Op::AllocaCount { d, .. }
            | Op::FloatCompare { d, .. } => visit(d),
            Op::Float { kind, d, .. } => span(d, float_words(kind)).for_each(visit),
            Op::CallBuiltin { site, .. } => {
                self.sites[site as usize].results.iter().copied().for_each(visit);
            }
            Op::Rare { index } => visit_rare_writes(&self.rares[index as usize], visit),
            _ => {}
        }
    }
}

fn span(slot: Slot, words: usize) -> std::ops::Range<Slot> {
    slot..slot + words as Slot
}

fn visit_rare_reads(rare: &Rare, visit: &mut impl FnMut(Slot)) {
    match *rare {
        Rare::Binary { bits, a, b, .. } | Rare::Compare { bits, a, b, .. } => {
            let words = integer_words(bits);
            span(a, words).chain(span(b, words)).for_each(visit);
        }
        Rare::Cast { from, a, .. } => span(a, from.words()).for_each(visit),
        Rare::FloatNegate { kind, a, .. } => span(a, float_words(kind)).for_each(visit),
        Rare::Load { a, .. } => visit(a),
        Rare::Store { ty, v, a } => span(v, ty.words()).chain([a]).for_each(visit),
        Rare::Intrinsic { ty, ref a, .. } => {
            a.iter().flat_map(|&slot| span(slot, ty.words())).for_each(visit);
        }
    }
}

fn visit_rare_writes(rare: &Rare, visit: &mut impl FnMut(Slot)) {
    match *rare {
        Rare::Binary { bits, d, .. } => span(d, integer_words(bits)).for_each(visit),
        Rare::Compare { d, .. } => visit(d),
        Rare::Cast { to, d, .. } => span(d, to.words()).for_each(visit),
        Rare::FloatNegate { kind, d, .. } => span(d, float_words(kind)).for_each(visit),
        Rare::Load { ty, d, .. } => span(d, ty.words()).for_each(visit),
        Rare::Store { .. } => {}
        Rare::Intrinsic { intrinsic, ty, ref d, bits, .. } => {
            let first = match intrinsic {
                Intrinsic::FloatIsClass
                | Intrinsic::FloatToSignedSaturate
                | Intrinsic::FloatToUnsignedSaturate => integer_words(bits),
                Intrinsic::StackSave => 1,
                _ => ty.words(),
            };
            let firsts = d.first().into_iter().flat_map(|&slot| span(slot, first));
            firsts.chain(d.get(1).copied()).for_each(visit);
        }
    }
}
