//! Words that a program knows: its options, and what it compares its input with.
//!
//! They are the texts that its own code names, those nearest to a target first, and those in its tables. A table of option
//! names (`struct option`) or of predicates (as find has) is a global with addresses of texts.

use std::collections::{BTreeMap, BTreeSet};

use umbra_case::{Case, EntryKind, Stdin};
use umbra_ir::{
    Callee, ConstantValue, GlobalId, Id, Initializer, Operand, Operation, Program, Symbol,
};
use umbra_strategy::Goal;

use crate::own;

/// Bytes of a word.
const LENGTH: std::ops::RangeInclusive<usize> = 1..=24;

/// Bytes of a `struct option`.
const OPTION: u64 = 32;

/// What is given to an option that wants a value: a number, and the largest one.
const VALUE: &[u8] = b"1";
const LARGEST: &[u8] = b"9223372036854775807";

/// A number that fits into no integer.
const HUGE: &[u8] = b"99999999999999999999";

/// Words that mean something to many programs.
pub const USUAL: [&[u8]; 4] = [b"-", b"0", HUGE, b"/"];

/// Files of a test whose contents are varied.
const FILES: usize = 2;

/// A word, and where it is used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// The word.
    pub text: Vec<u8>,
    /// Blocks of the program's own code that name it.
    pub users: Vec<Goal>,
}

/// Whether an option has a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    No,
    Yes,
    Perhaps,
}

/// The words of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vocabulary {
    /// Options as they are written on a command line.
    pub options: Vec<(Vec<u8>, Value)>,
    /// Everything else that input may be compared with.
    pub words: Vec<Word>,
    /// Variables of the environment that the program asks for.
    pub variables: Vec<Vec<u8>>,
}

impl Vocabulary {
    /// The words of a program.
    pub fn new(program: &Program) -> Self {
        let own: Vec<bool> = program.files.values().map(|file| own::is_own(&file.path())).collect();
        let mut users: BTreeMap<GlobalId, Vec<Goal>> = BTreeMap::new();
        let (mut variables, mut letters) = (BTreeSet::new(), Vec::new());
        for (function, definition) in program.functions.iter() {
            let is_own = definition.identity.as_ref().is_some_and(|it| own[it.file.index()]);
            let Some(body) = definition.body.as_ref().filter(|_| is_own) else { continue };
            for (block, code) in body.blocks.iter() {
                let mut name = |operand: Operand| {
                    if let Some(global) = global_of(program, operand) {
                        users.entry(global).or_default().push(Goal { function, block });
                    }
                };
                for instruction in &code.instructions {
                    instruction.operation.visit_operands(&mut name);
                    variables.extend(variable(program, &instruction.operation));
                    letters.extend(letters_of(program, &instruction.operation));
                }
                code.terminator.visit_operands(&mut name);
            }
        }
        if letters.is_empty() {
            let all = (b'a'..=b'z').chain(b'A'..=b'Z').chain(b'0'..=b'9');
            letters.extend(all.map(|letter| (letter, Value::Perhaps)));
        }
        let short = letters.into_iter().map(|(letter, value)| (vec![b'-', letter], value));
        let written = crate::diff::shapes::options(program);
        let written = written.into_iter().map(|option| (option, Value::Perhaps));
        let mut vocabulary = Self {
            options: written.chain(short).collect(),
            words: Vec::new(),
            variables: variables.into_iter().collect(),
        };
        let tables: Vec<GlobalId> = users.keys().copied().collect();
        for (global, users) in users {
            vocabulary.words.extend(word(program, global).map(|text| Word { text, users }));
        }
        for table in tables {
            vocabulary.add_table(program, table);
        }
        let mut seen = BTreeSet::new();
        vocabulary.options.retain(|(option, _)| seen.insert(option.clone()));
        seen.clear();
        vocabulary.words.retain(|word| seen.insert(word.text.clone()));
        vocabulary
    }

    /// The words that a table has.
    fn add_table(&mut self, program: &Program, table: GlobalId) {
        let global = &program.globals[table];
        let Initializer::Data { bytes, relocations } = &global.initializer else { return };
        let names: Vec<(u64, Vec<u8>)> = relocations
            .iter()
            .filter_map(|it| match it.symbol {
                Symbol::Global(text) => Some((it.offset, word(program, text)?)),
                Symbol::Function(_) => None,
            })
            .collect();
        let is_options = global.size.is_multiple_of(OPTION)
            && global.size > OPTION
            && !names.is_empty()
            && names.iter().all(|(offset, _)| offset % OPTION == 0);
        for (offset, name) in names {
            let (prefix, value): (&[u8], _) = match (is_options, bytes.get(offset as usize + 8)) {
                (true, Some(0)) => (b"--", Value::No),
                (true, Some(1)) => (b"--", Value::Yes),
                (true, _) => (b"--", Value::Perhaps),
                (false, _) => (b"-", Value::Perhaps),
            };
            if !name.starts_with(b"-") {
                self.options.push(([prefix, &name].concat(), value));
            }
            self.words.push(Word { text: name, users: Vec::new() });
        }
    }
}

/// The global that an operand is the address of.
fn global_of(program: &Program, operand: Operand) -> Option<GlobalId> {
    let Operand::Constant(id) = operand else { return None };
    match program.constants[id].value {
        ConstantValue::Address { symbol: Symbol::Global(global), offset: 0 } => Some(global),
        _ => None,
    }
}

/// The text of a global, if it is a word.
fn word(program: &Program, global: GlobalId) -> Option<Vec<u8>> {
    let global = &program.globals[global];
    let Initializer::Data { bytes, relocations } = &global.initializer else { return None };
    let (0, text) = bytes.split_last()? else { return None };
    let is_word = global.constant
        && relocations.is_empty()
        && LENGTH.contains(&text.len())
        && text.iter().all(u8::is_ascii_graphic)
        && !text.contains(&b'%');
    is_word.then(|| text.to_vec())
}

/// The variable that a call asks for.
fn variable(program: &Program, operation: &Operation) -> Option<Vec<u8>> {
    let Operation::Call { callee: Callee::Direct(function), arguments, .. } = operation else {
        return None;
    };
    let asks = matches!(&*program.functions[*function].name, "getenv" | "secure_getenv");
    let first = arguments.first().filter(|_| asks)?;
    word(program, global_of(program, first.operand)?)
}

/// The letters of options that a call of getopt or one of its kin names.
fn letters_of(program: &Program, operation: &Operation) -> Vec<(u8, Value)> {
    let Operation::Call { callee: Callee::Direct(function), arguments, .. } = operation else {
        return Vec::new();
    };
    let third = arguments.get(2).filter(|_| program.functions[*function].name.contains("getopt"));
    let global = third.and_then(|third| global_of(program, third.operand));
    let Some(Initializer::Data { bytes, .. }) = global.map(|it| &program.globals[it].initializer)
    else {
        return Vec::new();
    };
    let mut letters = Vec::new();
    for (at, letter) in bytes.iter().enumerate().filter(|(_, byte)| byte.is_ascii_alphanumeric()) {
        let value = match bytes[at + 1..] {
            [b':', b':', ..] => Value::Perhaps,
            [b':', ..] => Value::Yes,
            _ => Value::No,
        };
        letters.push((*letter, value));
    }
    letters
}

/// A test with an option more, in every form that it may have.
pub fn with_options(test: &Case, vocabulary: &Vocabulary) -> Vec<(String, Case)> {
    let mut shapes = Vec::new();
    for (option, value) in &vocabulary.options {
        if test.arguments.contains(option) {
            continue;
        }
        let name = String::from_utf8_lossy(option).into_owned();
        let mut add = |what: String, front: &[&[u8]], back: &[&[u8]]| {
            let owned =
                |words: &[&[u8]]| words.iter().map(|word| word.to_vec()).collect::<Vec<_>>();
            let arguments = [owned(front), test.arguments.clone(), owned(back)].concat();
            shapes.push((what, Case { arguments, ..test.clone() }));
        };
        add(format!("{name} before all others"), &[option], &[]);
        let is_long = option.starts_with(b"--");
        if *value != Value::No {
            for given in [VALUE, LARGEST] {
                let text = String::from_utf8_lossy(given);
                add(format!("{name} {text} before all others"), &[option, given], &[]);
                if is_long {
                    let joined = [&option[..], b"=", given].concat();
                    add(format!("{name}={text} before all others"), &[&joined], &[]);
                }
            }
        }
        // Predicates stand behind what they are about.
        if *value == Value::Perhaps && !is_long {
            add(format!("{name} behind all others"), &[], &[option]);
            add(format!("{name} 1 behind all others"), &[], &[option, VALUE]);
        }
    }
    for name in &vocabulary.variables {
        let prefix = [name, &b"="[..]].concat();
        let is_other = |text: &&Vec<u8>| !text.starts_with(&prefix);
        let rest = test.environment.iter().filter(is_other).cloned();
        let environment = rest.chain([[&prefix, VALUE].concat()]).collect();
        let what = format!("with {}", String::from_utf8_lossy(&prefix));
        shapes.push((what, Case { environment, ..test.clone() }));
    }
    shapes
}

/// A test with a word in it, in place of what is there or before it.
pub fn with_word(test: &Case, word: &[u8]) -> Vec<(String, Case)> {
    let mut shapes = Vec::new();
    let shown = String::from_utf8_lossy(word).into_owned();
    for at in 0..=test.arguments.len().min(3) {
        let mut arguments = test.arguments.clone();
        match arguments.get_mut(at) {
            Some(argument) => *argument = word.to_vec(),
            None => arguments.push(word.to_vec()),
        }
        shapes
            .push((format!("{shown} as argument {}", at + 1), Case { arguments, ..test.clone() }));
    }
    let contents = |bytes: &[u8]| {
        [[word, b"\n", bytes].concat(), [word, b" ", bytes].concat(), [word, bytes].concat()]
    };
    if let Stdin::Pipe(bytes) | Stdin::File(bytes) = &test.stdin {
        for bytes in contents(bytes) {
            let stdin = match &test.stdin {
                Stdin::File(_) => Stdin::File(bytes),
                _ => Stdin::Pipe(bytes),
            };
            shapes.push((
                format!("{shown} at the start of standard input"),
                Case { stdin, ..test.clone() },
            ));
        }
    }
    let files = test.tree.iter().enumerate();
    let files = files.filter(|(_, entry)| matches!(entry.kind, EntryKind::File(_)));
    for (index, entry) in files.take(FILES) {
        let EntryKind::File(bytes) = &entry.kind else { continue };
        for bytes in contents(bytes) {
            let mut case = test.clone();
            case.tree[index].kind = EntryKind::File(bytes);
            let name = String::from_utf8_lossy(&entry.path);
            shapes.push((format!("{shown} at the start of {name}"), case));
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nothing_names_is_no_word() {
        let program = umbra_ir::parse(
            "g0 @name: 6 align 1 constant = \"quiet\\00\"\n\
             g1 @other: 4 align 1 constant = \"sum\\00\"\n",
        )
        .unwrap();
        // Nothing names them, so they are no words of the program.
        let vocabulary = Vocabulary::new(&program);
        assert!(vocabulary.words.is_empty() && vocabulary.variables.is_empty());
        // Where no letters are known, all are tried.
        assert_eq!(vocabulary.options.len(), 62);
        assert!(vocabulary.options.contains(&(b"-x".to_vec(), Value::Perhaps)));
    }

    #[test]
    fn a_word_is_tried_in_every_place() {
        let test = Case {
            arguments: vec![b"x".to_vec()],
            stdin: Stdin::Pipe(b"in".to_vec()),
            ..Case::default()
        };
        let shapes = with_word(&test, b"BEGIN");
        let arguments: Vec<_> = shapes.iter().map(|(_, case)| case.arguments.join(&b' ')).collect();
        assert_eq!(arguments[..2], [b"BEGIN".to_vec(), b"x BEGIN".to_vec()]);
        assert!(shapes.iter().any(|(_, case)| case.stdin == Stdin::Pipe(b"BEGIN\nin".to_vec())));
    }

    #[test]
    fn options_come_before_and_behind() {
        let test = Case { arguments: vec![b"x".to_vec()], ..Case::default() };
        let vocabulary = Vocabulary {
            options: vec![
                (b"-name".to_vec(), Value::Perhaps),
                (b"--sum".to_vec(), Value::Yes),
                (b"-Z".to_vec(), Value::No),
                (b"-a".to_vec(), Value::Yes),
            ],
            ..Vocabulary::default()
        };
        let lines: Vec<String> = with_options(&test, &vocabulary)
            .iter()
            .map(|(_, case)| String::from_utf8_lossy(&case.arguments.join(&b' ')).into_owned())
            .collect();
        assert!(!lines.iter().any(|line| line.starts_with("-Z 1")), "{lines:?}");
        for expected in ["-name x", "x -name 1", "--sum x", "--sum=1 x", "-a 1 x", "-Z x"] {
            assert!(lines.iter().any(|line| line == expected), "{expected}: {lines:?}");
        }
    }
}
