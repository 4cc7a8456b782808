//! Inline assembly, as far as it is known.
//!
//! Assembly without text does nothing, but may move operands to results: compilers' and programs'
//! way to hide a value from the optimiser. Of real instructions those are known that portable
//! programs use behind a macro: `cpuid`, and the two-word arithmetic of GMP's `longlong.h`, which
//! many programs carry a copy of. They become ordinary operations. Everything else is unsupported.

use super::Unsupported;
use super::functions::{FunctionLoader, Leaves};
use crate::instruction::{BinaryOp, CastOp, Operand, Operation, Predicate};
use crate::intrinsic::Intrinsic;
use crate::llvm::Value;
use crate::types::Type;

const WORD: Type = Type::Integer(64);
const TWO_WORDS: Type = Type::Integer(128);

/// Assembly with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Known {
    /// Moves arguments to results, at most.
    Empty,
    /// Does nothing that matters where instructions run one after the other: a fence, a hint.
    Nothing,
    /// The bytes of a number in the other order.
    ByteSwap,
    /// What the processor can do: four words.
    Cpuid,
    /// `(high, low) = (a, c) op (b, d)`.
    TwoWords(BinaryOp),
    /// `(low, high) = a * b`.
    WideMultiply,
    /// The position of the lowest bit that is set.
    ScanForward,
    /// The position of the highest bit that is set.
    ScanReverse,
}

impl Known {
    fn of(text: &str, constraints: &str) -> Option<Self> {
        let words: Vec<&str> = text.split([' ', '\t', '\n', ';', ',']).collect();
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        // Clobbers change nothing here, and `%` only says that two arguments may change places.
        let operands: Vec<&str> =
            constraints.split(',').filter(|text| !text.starts_with('~')).collect();
        let operands = operands.join(",").replace('%', "");
        Some(match (words.as_slice(), operands.as_str()) {
            ([], _) => Self::Empty,
            (["pause" | "nop" | "mfence" | "lfence" | "sfence"] | ["rep", "nop"], "") => {
                Self::Nothing
            }
            (["bswap" | "bswapl" | "bswapq", "$0" | "${0:q}" | "${0:k}"], "=r,0") => Self::ByteSwap,
            // Compilers' headers keep a register around it.
            (["cpuid"] | ["xchgq", _, _, "cpuid", "xchgq", _, _], _) => Self::Cpuid,
            (["addq", "$5", "${1:q}", "adcq", "$3", "${0:q}"], "=r,=&r,0,rme,1,rme") => {
                Self::TwoWords(BinaryOp::Add)
            }
            (["subq", "$5", "${1:q}", "sbbq", "$3", "${0:q}"], "=r,=&r,0,rme,1,rme") => {
                Self::TwoWords(BinaryOp::Sub)
            }
            (["mulq", "$3"], "={ax},={dx},0,rm") => Self::WideMultiply,
            (["bsf" | "bsfq", "$1", "$0" | "${0:q}"], "=r,rm") => Self::ScanForward,
            (["bsr" | "bsrq", "$1", "$0" | "${0:q}"], "=r,rm") => Self::ScanReverse,
            _ => return None,
        })
    }
}

impl<'m> FunctionLoader<'_, 'm> {
    /// Loads a call of `assembly`.
    pub(super) fn inline_assembly(
        &mut self,
        value: Value<'m>,
        assembly: Value<'m>,
    ) -> Result<Leaves, Unsupported> {
        let malformed = || Unsupported("malformed inline assembly".into());
        let (text, constraints) = assembly.inline_assembly().ok_or_else(malformed)?;
        let known = Known::of(&text, &constraints).ok_or_else(|| {
            Unsupported(format!("inline assembly `{}`", text.trim().escape_debug()))
        })?;
        if known == Known::Empty {
            return self.empty_assembly(value, &constraints);
        }
        if known == Known::Nothing {
            return Ok(Leaves::NONE);
        }
        if known == Known::ByteSwap {
            let argument = *value.arguments().first().ok_or_else(malformed)?;
            let ty = Self::scalar_type(value)?;
            if Self::scalar_type(argument)? != ty || !matches!(ty, Type::Integer(32 | 64)) {
                return Err(Unsupported(
                    "inline assembly `bswap` on a number of other size".into(),
                ));
            }
            let (argument, destination) = (self.scalar(argument)?, self.define(ty));
            self.emit(Operation::Intrinsic {
                destinations: vec![destination],
                intrinsic: Intrinsic::ByteSwap,
                arguments: vec![argument],
            });
            return Ok(destination.into());
        }
        let ty = value.ty().ok_or_else(malformed)?;
        let types: Vec<Type> = self.context.layout.leaves(ty)?.iter().map(|leaf| leaf.ty).collect();
        if known == Known::Cpuid {
            // Our processor has no features, so programs take their portable way.
            let zeros: Vec<Operand> = types.iter().map(|&ty| self.number(ty, 0)).collect();
            return Ok(zeros.into());
        }
        let mut arguments = Vec::new();
        for argument in value.arguments() {
            if Self::scalar_type(argument)? != WORD {
                return Err(Unsupported("inline assembly on other than 64 bits".into()));
            }
            arguments.push(self.scalar(argument)?);
        }
        let results = match (known, arguments.as_slice()) {
            (Known::TwoWords(op), &[a, b, c, d]) => self.two_words(op, [a, b, c, d]),
            (Known::WideMultiply, &[a, b]) => self.wide_multiply(a, b),
            (Known::ScanForward, &[a]) => vec![self.emit_count(Intrinsic::TrailingZeros, a)],
            (Known::ScanReverse, &[a]) => {
                let zeros = self.emit_count(Intrinsic::LeadingZeros, a);
                let last = self.number(WORD, 63);
                vec![self.emit_binary(WORD, BinaryOp::Xor, zeros, last)]
            }
            _ => return Err(malformed()),
        };
        if types.len() != results.len() {
            return Err(malformed());
        }
        // The variables behind the results may be narrower than the registers.
        let mut narrowed = Vec::with_capacity(results.len());
        for (result, &ty) in results.into_iter().zip(&types) {
            match ty {
                WORD => narrowed.push(result),
                Type::Integer(..64) => {
                    narrowed.push(self.emit_cast(CastOp::Trunc, result, WORD, ty));
                }
                _ => return Err(malformed()),
            }
        }
        Ok(narrowed.into())
    }

    /// Assembly without text: each result is the argument that shares its register.
    fn empty_assembly(
        &mut self,
        value: Value<'m>,
        constraints: &str,
    ) -> Result<Leaves, Unsupported> {
        let refuse = || Unsupported("inline assembly without text but with a result".into());
        let ty = value.ty().ok_or_else(refuse)?;
        let types = self.context.layout.leaves(ty)?;
        let sources = tied_inputs(constraints).ok_or_else(refuse)?;
        if sources.len() != types.len() {
            return Err(refuse());
        }
        let arguments = value.arguments();
        let mut results = Vec::with_capacity(sources.len());
        for (source, leaf) in sources.into_iter().zip(types.iter()) {
            let argument = *arguments.get(source).ok_or_else(refuse)?;
            if Self::scalar_type(argument)? != leaf.ty {
                return Err(refuse());
            }
            results.push(self.scalar(argument)?);
        }
        Ok(results.into())
    }

    /// High and low word of a sum or difference of two words each.
    fn two_words(&mut self, op: BinaryOp, [a, b, c, d]: [Operand; 4]) -> Vec<Operand> {
        let low = self.emit_binary(WORD, op, c, d);
        // A sum that is less than an addend has carried; a difference borrows from the first.
        let (left, right) = if op == BinaryOp::Add { (low, c) } else { (c, d) };
        let carry = self.define(Type::BOOL);
        let predicate = Predicate::Ult;
        self.emit(Operation::Compare { destination: carry, predicate, left, right });
        let carry = self.emit_cast(CastOp::ZExt, Operand::Register(carry), Type::BOOL, WORD);
        let high = self.emit_binary(WORD, op, a, b);
        vec![self.emit_binary(WORD, op, high, carry), low]
    }

    /// Low and high word of a product.
    fn wide_multiply(&mut self, a: Operand, b: Operand) -> Vec<Operand> {
        let a = self.emit_cast(CastOp::ZExt, a, WORD, TWO_WORDS);
        let b = self.emit_cast(CastOp::ZExt, b, WORD, TWO_WORDS);
        let product = self.emit_binary(TWO_WORDS, BinaryOp::Mul, a, b);
        let word = self.number(TWO_WORDS, 64);
        let high = self.emit_binary(TWO_WORDS, BinaryOp::LShr, product, word);
        let low = self.emit_cast(CastOp::Trunc, product, TWO_WORDS, WORD);
        vec![low, self.emit_cast(CastOp::Trunc, high, TWO_WORDS, WORD)]
    }

    fn emit_count(&mut self, intrinsic: Intrinsic, a: Operand) -> Operand {
        let destination = self.define(WORD);
        self.emit(Operation::Intrinsic {
            destinations: vec![destination],
            intrinsic,
            arguments: vec![a],
        });
        Operand::Register(destination)
    }
}

/// For each result of inline assembly, the argument that is put into the same register; `None` if
/// a result comes from nowhere.
///
/// Constraints are outputs (`=r`), then inputs, then clobbers (`~{memory}`). An indirect output
/// (`=*m`) is no result but an argument, the address. An input that is a number is tied to that
/// output.
fn tied_inputs(constraints: &str) -> Option<Vec<usize>> {
    // By output: none for an indirect one, else the argument once found.
    let mut outputs: Vec<Option<Option<usize>>> = Vec::new();
    let mut arguments = 0;
    for constraint in constraints.split(',').filter(|text| !text.is_empty()) {
        if constraint.starts_with('~') || constraint.starts_with('!') {
            continue;
        }
        if let Some(output) = constraint.strip_prefix('=') {
            if output.trim_start_matches('&').starts_with('*') {
                outputs.push(None);
                arguments += 1;
            } else {
                outputs.push(Some(None));
            }
            continue;
        }
        if let Ok(tied) = constraint.parse::<usize>()
            && let Some(Some(source)) = outputs.get_mut(tied)
        {
            *source = Some(arguments);
        }
        arguments += 1;
    }
    outputs.into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::{BinaryOp, Known, tied_inputs};

    #[test]
    fn results_of_empty_assembly() {
        let memory = "~{memory},~{dirflag},~{fpsr},~{flags}";
        assert_eq!(tied_inputs(memory), Some(vec![]));
        assert_eq!(tied_inputs("=r,0,~{dirflag}"), Some(vec![0]));
        assert_eq!(tied_inputs("=r,=r,r,1,0"), Some(vec![2, 1]));
        assert_eq!(tied_inputs("=*m,=r,1,*m"), Some(vec![1]));
        assert_eq!(tied_inputs("=r,r"), None);
    }

    #[test]
    fn only_exact_forms_are_known() {
        let add = "addq $5,${1:q}\n\tadcq $3,${0:q}";
        let operands = "=r,=&r,0,rme,%1,rme,~{flags}";
        assert_eq!(Known::of(add, operands), Some(Known::TwoWords(BinaryOp::Add)));
        assert_eq!(Known::of(add, "=r,=&r,0,rme,rme,1"), None);
        assert_eq!(Known::of("mulq\t$3", "={ax},={dx},%0,rm"), Some(Known::WideMultiply));
        assert_eq!(Known::of("rdtsc", "={ax},={dx}"), None);
        assert_eq!(Known::of("  ", ""), Some(Known::Empty));
    }
}
