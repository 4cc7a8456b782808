//! The number of a program's version, which is noise in its texts.
//!
//! `3.8` may be anything. It is taken for the version only if the program says so: it is held by a variable, or passed to a function,
//! whose name has the word in it (`Version`, `version_etc`). If a program says it of two texts, nothing is taken. What is taken is
//! counted and shown with both numbers, since a program may also decide on its version.

use std::collections::{BTreeSet, HashSet};

use umbra_ir::{Callee, ConstantValue, Global, Initializer, Operand, Operation, Program, Symbol};

/// What stands for the number in texts.
const PLACEHOLDER: &str = "(version)";

/// Longer texts are no numbers.
const LONGEST: usize = 32;

/// The number of one of two versions, and the texts that are the same in both whatever they hold.
pub struct Number<'a> {
    pub number: &'a str,
    pub common: &'a HashSet<&'a [u8]>,
}

impl Number<'_> {
    /// A text without the number, if it has it as a word of its own.
    pub fn leave_out(&self, text: &str) -> Option<String> {
        match self.common.contains(text.as_bytes()) {
            true => None,
            false => without_number(text, self.number),
        }
    }
}

/// The texts that two programs have both.
pub fn common_texts<'a>(old: &'a Program, new: &'a Program) -> HashSet<&'a [u8]> {
    let texts = |program: &'a Program| -> HashSet<&'a [u8]> {
        let data = program.globals.values().filter_map(|global| match &global.initializer {
            Initializer::Data { bytes, .. } => bytes.strip_suffix(&[0]),
            _ => None,
        });
        data.collect()
    };
    let others = texts(new);
    texts(old).into_iter().filter(|text| others.contains(text)).collect()
}

/// The numbers of an old and a new version, if both are known and differ.
pub fn numbers(old: &Program, new: &Program) -> Option<(String, String)> {
    let numbers = (number(old)?, number(new)?);
    (numbers.0 != numbers.1).then_some(numbers)
}

/// The one text that a program calls its version.
fn number(program: &Program) -> Option<String> {
    let mut found = BTreeSet::new();
    for global in program.globals.values() {
        let name = global.identity.as_ref().map(|identity| identity.name.as_str());
        if name.is_some_and(says_version) {
            found.extend(text_of(program, global));
        }
    }
    let bodies = program.functions.values().filter_map(|function| function.body.as_ref());
    let blocks = bodies.flat_map(|body| body.blocks.values());
    for instruction in blocks.flat_map(|block| &block.instructions) {
        if let Operation::Call { callee: Callee::Direct(callee), .. } = &instruction.operation
            && says_version(&program.functions[*callee].name)
        {
            instruction.operation.visit_operands(&mut |operand| {
                found.extend(passed(program, operand));
            });
        }
    }
    let number = found.pop_first()?;
    found.is_empty().then_some(number)
}

fn says_version(name: &str) -> bool {
    name.to_ascii_lowercase().contains("version")
}

/// The number that is passed to a function.
fn passed(program: &Program, operand: Operand) -> Option<String> {
    let Operand::Constant(constant) = operand else { return None };
    match program.constants[constant].value {
        ConstantValue::Address { symbol: Symbol::Global(global), .. } => {
            text_of(program, &program.globals[global])
        }
        _ => None,
    }
}

/// The number that a variable holds, or points to.
fn text_of(program: &Program, global: &Global) -> Option<String> {
    let Initializer::Data { bytes, relocations } = &global.initializer else { return None };
    let bytes = match relocations.as_slice() {
        [] => bytes,
        [only] => match only.symbol {
            Symbol::Global(target) => match &program.globals[target].initializer {
                Initializer::Data { bytes, relocations } if relocations.is_empty() => bytes,
                _ => return None,
            },
            Symbol::Function(_) => return None,
        },
        _ => return None,
    };
    let text = std::str::from_utf8(bytes.strip_suffix(&[0])?).ok()?;
    is_number(text).then(|| text.to_owned())
}

/// Whether a text is the number of a version and nothing else: `3.8`, `9.1.2-beta1`.
fn is_number(text: &str) -> bool {
    let mut parts = text.split('.');
    let starts = parts.next().is_some_and(is_digits);
    let more = parts.next().is_some_and(|second| second.starts_with(|c: char| c.is_ascii_digit()));
    let rest = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-+~".contains(&byte));
    starts && more && rest && text.len() <= LONGEST
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn without_number(text: &str, number: &str) -> Option<String> {
    let mut result = String::new();
    let (mut rest, mut last) = (text, None);
    while let Some(at) = rest.find(number) {
        let (front, behind) = (&rest[..at], &rest[at + number.len()..]);
        let before = front.chars().next_back().or(last);
        let mut after = behind.chars();
        let joined = match (after.next(), after.next()) {
            (Some('.' | '-'), Some(next)) => next.is_ascii_alphanumeric(),
            (Some(next), _) => next.is_ascii_alphanumeric(),
            (None, _) => false,
        };
        let is_word = !joined && !before.is_some_and(|c| c.is_ascii_alphanumeric() || c == '.');
        result.push_str(front);
        result.push_str(if is_word { PLACEHOLDER } else { number });
        (rest, last) = (behind, number.chars().next_back());
    }
    result.push_str(rest);
    (result != text).then_some(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_versions_have_a_dot() {
        for text in ["3.8", "9.1.2-beta1", "1.07.1", "2.0rc1"] {
            assert!(is_number(text), "{text}");
        }
        for text in ["", "38", "3.", ".8", "v.8", "3.x", "3.8 of today", "%d.%d", "LINUX_2.6"] {
            assert!(!is_number(text), "{text}");
        }
    }

    #[test]
    fn a_number_is_a_word_of_its_own() {
        let without = |text| without_number(text, "3.8");
        assert_eq!(without("3.8").as_deref(), Some("(version)"));
        assert_eq!(without("diff 3.8\n").as_deref(), Some("diff (version)\n"));
        assert_eq!(without("of 3.8.").as_deref(), Some("of (version)."));
        assert_eq!(without("3.8 or 13.8").as_deref(), Some("(version) or 13.8"));
        for text in ["3.81", "13.8", "3.8.1", "3.8-rc1", "1.3.8", "3.83.8", "3x8"] {
            assert_eq!(without(text), None, "{text}");
        }
    }
}
