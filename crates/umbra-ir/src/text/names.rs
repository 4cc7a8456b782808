//! The words of the text form for operations.

use crate::instruction::{BinaryOp, CastOp, FloatOp, FloatPredicate, Predicate};
use crate::types::{FloatKind, Type};

/// Something that has a word of its own.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// All of them with their words.
    const WORDS: &'static [(&'static str, Self)];

    fn word(self) -> &'static str {
        let found = Self::WORDS.iter().find(|(_, item)| *item == self);
        found.map_or("?", |(word, _)| word)
    }

    fn from_word(text: &str) -> Option<Self> {
        let found = Self::WORDS.iter().find(|(word, _)| *word == text);
        found.map(|&(_, item)| item)
    }
}

impl Word for BinaryOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("add", Self::Add),
        ("sub", Self::Sub),
        ("mul", Self::Mul),
        ("udiv", Self::UDiv),
        ("sdiv", Self::SDiv),
        ("urem", Self::URem),
        ("srem", Self::SRem),
        ("shl", Self::Shl),
        ("lshr", Self::LShr),
        ("ashr", Self::AShr),
        ("and", Self::And),
        ("or", Self::Or),
        ("xor", Self::Xor),
    ];
}

impl Word for FloatOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("fadd", Self::Add),
        ("fsub", Self::Sub),
        ("fmul", Self::Mul),
        ("fdiv", Self::Div),
        ("frem", Self::Rem),
    ];
}

impl Word for Predicate {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("ugt", Self::Ugt),
        ("uge", Self::Uge),
        ("ult", Self::Ult),
        ("ule", Self::Ule),
        ("sgt", Self::Sgt),
        ("sge", Self::Sge),
        ("slt", Self::Slt),
        ("sle", Self::Sle),
    ];
}

impl Word for FloatPredicate {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("false", Self::False),
        ("oeq", Self::Oeq),
        ("ogt", Self::Ogt),
        ("oge", Self::Oge),
        ("olt", Self::Olt),
        ("ole", Self::Ole),
        ("one", Self::One),
        ("ord", Self::Ord),
        ("uno", Self::Uno),
        ("ueq", Self::Ueq),
        ("ugt", Self::Ugt),
        ("uge", Self::Uge),
        ("ult", Self::Ult),
        ("ule", Self::Ule),
        ("une", Self::Une),
        ("true", Self::True),
    ];
}

impl Word for CastOp {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("trunc", Self::Trunc),
        ("zext", Self::ZExt),
        ("sext", Self::SExt),
        ("bitcast", Self::Bitcast),
        ("fptoui", Self::FpToUi),
        ("fptosi", Self::FpToSi),
        ("uitofp", Self::UiToFp),
        ("sitofp", Self::SiToFp),
        ("fpext", Self::FpExt),
        ("fptrunc", Self::FpTrunc),
    ];
}

/// The type of this name, as types print.
pub(super) fn type_of_word(text: &str) -> Option<Type> {
    match text {
        "ptr" => Some(Type::Pointer),
        "f16" => Some(Type::Float(FloatKind::Half)),
        "f32" => Some(Type::Float(FloatKind::Single)),
        "f64" => Some(Type::Float(FloatKind::Double)),
        "f80" => Some(Type::Float(FloatKind::X87)),
        _ => {
            let bits: u32 = text.strip_prefix('i')?.parse().ok()?;
            // LLVM's own bound; wider ones would only make numbers huge.
            (1..=1 << 23).contains(&bits).then_some(Type::Integer(bits))
        }
    }
}
