//! Tests of another shape: what the solver cannot make of a test, because it changes bytes and not how many there are.
//!
//! An argument more or less, a shorter or longer one, an option that the program knows; standard input and files that are
//! shorter or longer. Each is one step away from its test. They run natively before anything is followed, like
//! the tests themselves, so that only those are kept which come to a change, or to anything, in a way of their own.

pub mod lexicon;
pub mod moves;
mod text;

use umbra_case::{Case, EntryKind, Stdin};
use umbra_ir::{Initializer, Program};

/// Bytes of an option that is tried.
const OPTION: std::ops::RangeInclusive<usize> = 2..=24;

/// Options that are tried at most.
const OPTIONS: usize = 128;

/// Arguments and files of one test that are looked at.
const PARTS: usize = 8;

/// Data that is made longer at most.
const LONG: usize = 4096;

/// Words of a program that look like options, each once. They are what it compares its arguments with.
pub fn options(program: &Program) -> Vec<Vec<u8>> {
    let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let mut options: Vec<Vec<u8>> = Vec::new();
    for global in program.globals.values().filter(|global| global.constant) {
        let Initializer::Data { bytes, .. } = &global.initializer else { continue };
        let Some((0, word)) = bytes.split_last() else { continue };
        let is_option = word.first() == Some(&b'-')
            && OPTION.contains(&word.len())
            && word.iter().all(is_letter)
            && word.iter().any(|byte| *byte != b'-');
        if is_option && options.len() < OPTIONS && !options.iter().any(|known| known == word) {
            options.push(word.to_vec());
        }
    }
    options
}

/// The test in other shapes, with what is other about each in words.
pub fn shapes(test: &Case) -> Vec<(String, Case)> {
    let mut shapes = Vec::new();
    of_arguments(test, &mut shapes);
    of_data(test, &mut shapes);
    shapes.retain(|(_, case)| case.id() != test.id());
    shapes
}

/// The test with options that it does not have.
pub fn with_options(test: &Case, options: &[Vec<u8>]) -> Vec<(String, Case)> {
    let own = &test.arguments;
    let mut shapes = Vec::new();
    for option in options.iter().filter(|option| !own.contains(option)) {
        let name = String::from_utf8_lossy(option);
        // In place of one that is there: programs may take only one.
        let (what, rest) = match own.split_first() {
            Some((first, rest)) if first.starts_with(b"-") => ("first", rest),
            _ => ("before all others", &own[..]),
        };
        let arguments = [std::slice::from_ref(option), rest].concat();
        shapes.push((format!("{name} {what}"), Case { arguments, ..test.clone() }));
    }
    shapes
}

fn of_arguments(test: &Case, shapes: &mut Vec<(String, Case)>) {
    let mut add = |what: String, arguments: Vec<Vec<u8>>| {
        shapes.push((what, Case { arguments, ..test.clone() }));
    };
    let own = &test.arguments;
    for index in 0..own.len().min(PARTS) {
        let mut fewer = own.clone();
        fewer.remove(index);
        add(format!("without argument {}", index + 1), fewer);
    }
    // One less at the end is there already.
    for count in 0..own.len().saturating_sub(1).min(PARTS) {
        add(format!("the first {count} arguments"), own[..count].to_vec());
    }
    for (index, argument) in own.iter().enumerate().take(PARTS) {
        let mut with = |what: &str, bytes: Vec<u8>| {
            let mut arguments = own.clone();
            arguments[index] = bytes;
            add(format!("{what} argument {}", index + 1), arguments);
        };
        let last = argument.last().copied().unwrap_or(b'a');
        with("longer", [argument, &[last][..]].concat());
        if let [shorter @ .., _] = &argument[..] {
            with("shorter", shorter.to_vec());
        }
    }
    if let Some(last) = own.last() {
        add("the last argument twice".to_owned(), [&own[..], std::slice::from_ref(last)].concat());
    }
    // A letter that is followed like all bytes of a test.
    add("with -x".to_owned(), [&[b"-x".to_vec()], &own[..]].concat());
}

fn of_data(test: &Case, shapes: &mut Vec<(String, Case)>) {
    if let Stdin::Pipe(bytes) | Stdin::File(bytes) = &test.stdin {
        for (what, bytes) in resized(bytes) {
            let stdin = match &test.stdin {
                Stdin::File(_) => Stdin::File(bytes),
                _ => Stdin::Pipe(bytes),
            };
            shapes.push((format!("{what} of standard input"), Case { stdin, ..test.clone() }));
        }
    }
    let files = test.tree.iter().enumerate();
    let files = files.filter(|(_, entry)| matches!(entry.kind, EntryKind::File(_)));
    for (index, entry) in files.take(PARTS) {
        let EntryKind::File(bytes) = &entry.kind else { continue };
        for (what, bytes) in resized(bytes) {
            let mut case = test.clone();
            case.tree[index].kind = EntryKind::File(bytes);
            let name = String::from_utf8_lossy(&entry.path);
            shapes.push((format!("{what} of {name}"), case));
        }
    }
}

/// Data in other sizes.
fn resized(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let mut sizes: Vec<(&str, Vec<u8>)> = vec![("nothing", Vec::new())];
    if let [shorter @ .., _] = bytes {
        sizes.push(("all but the last byte", shorter.to_vec()));
        let lines = shorter.iter().rposition(|byte| *byte == b'\n');
        sizes.push(("half", bytes[..bytes.len() / 2].to_vec()));
        sizes.extend(lines.map(|end| ("all but the last line", bytes[..=end].to_vec())));
        let first = bytes.iter().position(|byte| *byte == b'\n').map(|end| &bytes[end + 1..]);
        sizes.extend(first.map(|rest| ("all but the first line", rest.to_vec())));
    }
    if bytes.len() <= LONG {
        sizes.push(("twice the contents", bytes.repeat(2)));
    }
    sizes
}

#[cfg(test)]
mod tests {
    use umbra_case::Entry;

    use super::*;

    fn case(words: &[&str]) -> Case {
        let arguments = words.iter().map(|word| word.as_bytes().to_vec()).collect();
        Case { arguments, ..Case::default() }
    }

    fn words(shapes: &[(String, Case)]) -> Vec<String> {
        let shown = |(what, case): &(String, Case)| {
            format!("{what}: {}", String::from_utf8_lossy(&case.arguments.join(&b' ')))
        };
        shapes.iter().map(shown).collect()
    }

    #[test]
    fn arguments_are_missing_longer_shorter_and_more() {
        let expected = [
            "without argument 1: b",
            "without argument 2: -a",
            "the first 0 arguments: ",
            "longer argument 1: -aa b",
            "shorter argument 1: - b",
            "longer argument 2: -a bb",
            "shorter argument 2: -a ",
            "the last argument twice: -a b b",
            "with -x: -x -a b",
        ];
        assert_eq!(words(&shapes(&case(&["-a", "b"]))), expected);
    }

    #[test]
    fn options_come_in_place_of_others() {
        let options = [b"-map".to_vec(), b"-a".to_vec()];
        assert_eq!(words(&with_options(&case(&["-a", "b"]), &options)), ["-map first: -map b"]);
        let expected = ["-map before all others: -map b", "-a before all others: -a b"];
        assert_eq!(words(&with_options(&case(&["b"]), &options)), expected);
    }

    #[test]
    fn data_has_other_sizes() {
        let sizes: Vec<String> = resized(b"a\nb\nc\n")
            .into_iter()
            .map(|(what, bytes)| format!("{what}: {}", String::from_utf8_lossy(&bytes)))
            .collect();
        let expected = [
            "nothing: ",
            "all but the last byte: a\nb\nc",
            "half: a\nb",
            "all but the last line: a\nb\n",
            "all but the first line: b\nc\n",
            "twice the contents: a\nb\nc\na\nb\nc\n",
        ];
        assert_eq!(sizes, expected);
        let file = Entry::file(b"in".to_vec(), b"x".to_vec());
        let test = Case { stdin: Stdin::Pipe(Vec::new()), tree: vec![file], ..Case::default() };
        let of_data = |what: &str| shapes(&test).iter().any(|(shape, _)| shape == what);
        assert!(of_data("nothing of in") && of_data("twice the contents of in"));
        assert!(!of_data("nothing of standard input"), "that is the test itself");
    }

    #[test]
    fn words_of_the_program_that_look_like_options_are_tried() {
        let words = ["-map", "--", "-map", "text", "-a b", "--long-name", "-"];
        let mut text = String::new();
        for (number, word) in words.iter().enumerate() {
            let size = word.len() + 1;
            text += &format!("g{number} @s{number}: {size} align 1 constant = \"{word}\\00\"\n");
        }
        let program = umbra_ir::parse(&text).unwrap();
        assert_eq!(options(&program), [b"-map".to_vec(), b"--long-name".to_vec()]);
    }
}
