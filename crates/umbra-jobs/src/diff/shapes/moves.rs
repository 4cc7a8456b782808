//! One step from a test: another word, number or line in it, one more or less, a piece of another test.
//!
//! What may be put in comes from the program ([`Lexicon`]), from the test itself and from the other tests. [`near_words`] tries
//! everything that the changes name, in every place; [`Moves`] draws steps by lot, of all kinds alike.

use std::ops::Range;

use umbra_case::{Case, Entry, EntryKind, Stdin};
use umbra_strategy::Random;

use super::lexicon::{Lexicon, Rank};
use super::text::{Grain, pieces, replaced};

/// Parts of a test that are looked at.
const PARTS: usize = 12;

/// Bytes of a part that is taken apart.
const LONG: usize = 1 << 16;

/// How often a piece is repeated that is to be long.
const OFTEN: [usize; 5] = [2, 16, 128, 1024, 8192];

/// Bytes of a part that was made longer.
const LONGEST: usize = 1 << 16;

/// Tests with what the changes name: of one test at most, and their bytes.
const MOST: usize = 4000;
const MOST_BYTES: usize = 1 << 25;

/// Numbers that programs trip over.
const NUMBERS: [&[u8]; 8] = [
    b"0",
    b"1",
    b"-1",
    b"100000",
    b"2147483647",
    b"2147483648",
    b"4294967296",
    b"99999999999999999999",
];

/// Bytes that programs trip over.
const BYTES: [&[u8]; 6] = [b"\0", b"\n", b" ", b"\t", b"\xff", b"\x80"];

/// Modes of files that programs look at.
const MODES: [u32; 5] = [0o000, 0o200, 0o444, 0o644, 0o755];

/// A part of a test that is text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Argument(usize),
    Stdin,
    File(usize),
}

fn parts(test: &Case) -> Vec<Part> {
    let arguments = (0..test.arguments.len()).map(Part::Argument);
    let stdin = test.stdin.bytes().map(|_| Part::Stdin);
    let files = test.tree.iter().enumerate();
    let files = files.filter(|(_, entry)| matches!(entry.kind, EntryKind::File(_)));
    let all = arguments.chain(stdin).chain(files.map(|(index, _)| Part::File(index)));
    all.filter(|part| text(test, *part).len() <= LONG).take(PARTS).collect()
}

fn text(test: &Case, part: Part) -> &[u8] {
    match part {
        Part::Argument(index) => &test.arguments[index],
        Part::Stdin => test.stdin.bytes().unwrap_or_default(),
        Part::File(index) => match &test.tree[index].kind {
            EntryKind::File(bytes) => bytes,
            _ => &[],
        },
    }
}

fn with(test: &Case, part: Part, text: Vec<u8>) -> Case {
    let mut case = test.clone();
    match part {
        // There are no bytes after a zero.
        Part::Argument(index) => {
            case.arguments[index] = text.into_iter().take_while(|byte| *byte != 0).collect();
        }
        Part::Stdin => {
            case.stdin = match &test.stdin {
                Stdin::File(_) => Stdin::File(text),
                _ => Stdin::Pipe(text),
            }
        }
        Part::File(index) => case.tree[index].kind = EntryKind::File(text),
    }
    case
}

fn named(test: &Case, part: Part) -> String {
    match part {
        Part::Argument(index) => format!("argument {}", index + 1),
        Part::Stdin => "standard input".to_owned(),
        Part::File(index) => String::from_utf8_lossy(&test.tree[index].path).into_owned(),
    }
}

fn quoted(word: &[u8]) -> String {
    let shown: String = word.iter().take(24).map(|byte| byte.escape_ascii().to_string()).collect();
    format!("`{shown}`")
}

/// A test with what the changes name, in place of each word and before it, and with the siblings of its own words in their
/// place; not all of it where that were too much.
pub fn near_words(test: &Case, lexicon: &Lexicon) -> Vec<(String, Case)> {
    let mut shapes = Vec::new();
    let near = lexicon.words(Rank::Change);
    let most = MOST.min(MOST_BYTES / test.input_bytes().max(1) as usize);
    for part in parts(test) {
        if shapes.len() >= most {
            break;
        }
        let own = text(test, part);
        let name = named(test, part);
        let words = pieces(own, Grain::Word);
        for piece in &words {
            let before = &own[piece.clone()];
            let siblings = lexicon.siblings(before).into_iter().take(16);
            let near = near.iter().map(|word| &**word).filter(|word| is_alike(before, word));
            for word in near.chain(siblings).filter(|word| *word != before) {
                let what = format!("{} in place of {} in {name}", quoted(word), quoted(before));
                shapes.push((what, with(test, part, replaced(own, piece, word))));
            }
        }
        for word in near {
            for at in seams(own, &words) {
                let what = format!("{} at byte {at} of {name}", quoted(word));
                shapes.push((what, with(test, part, replaced(own, &(at..at), word))));
                // Where lengths are written down, nothing may move.
                let over = at..at + word.len();
                if over.end <= own.len() && own[over.clone()] != **word {
                    let what = format!("{} over byte {at} of {name}", quoted(word));
                    shapes.push((what, with(test, part, replaced(own, &over, word))));
                }
            }
        }
    }
    shapes.truncate(most);
    shapes
}

/// Whether a word may stand for another: a number for a number, and all else for what is none.
fn is_alike(one: &[u8], other: &[u8]) -> bool {
    let is_number = |word: &[u8]| {
        let digits = word.strip_prefix(b"-").unwrap_or(word);
        digits.first().is_some_and(u8::is_ascii_digit)
    };
    is_number(one) == is_number(other)
}

/// The places where a text may be cut: at the ends of words, and at its own ends.
fn seams(text: &[u8], words: &[Range<usize>]) -> Vec<usize> {
    let mut seams: Vec<usize> = words.iter().flat_map(|piece| [piece.start, piece.end]).collect();
    seams.extend([0, text.len()]);
    seams.sort_unstable();
    seams.dedup();
    seams
}

/// Draws steps by lot.
pub struct Moves<'a> {
    lexicon: &'a Lexicon,
    /// All tests, for their pieces.
    tests: &'a [&'a Case],
    random: Random,
}

impl<'a> Moves<'a> {
    /// Steps from these tests; equal seeds draw equal ones.
    pub fn new(lexicon: &'a Lexicon, tests: &'a [&'a Case], seed: u64) -> Self {
        Self { lexicon, tests, random: Random::new(seed) }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        self.random.below(bound.max(1) as u64) as usize
    }

    /// A step from a test.
    pub fn step(&mut self, test: &Case) -> Option<(String, Case)> {
        // All kinds; those that count more have more lots.
        let step = match self.below(12) {
            0..=2 => self.word(test),
            3..=4 => self.insert(test),
            5 => self.number(test),
            6 => self.without(test),
            7 => self.often(test),
            8 => self.line(test),
            9 => self.part(test),
            10 => self.rename(test),
            _ => self.tree(test),
        };
        let (what, case) = step?;
        (case != *test).then_some((what, case))
    }

    fn one<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        let at = self.below(of.len());
        of.get(at)
    }

    fn part(&mut self, test: &Case) -> Option<(String, Case)> {
        let part = *self.one(&parts(test))?;
        let other = *self.one(self.tests)?;
        let like = match part {
            Part::Argument(_) if self.below(3) == 0 => {
                let case = Case { arguments: other.arguments.clone(), ..test.clone() };
                return Some(("the arguments of another test".to_owned(), case));
            }
            Part::Argument(_) => {
                let arguments: Vec<Part> = (0..other.arguments.len()).map(Part::Argument).collect();
                *self.one(&arguments)?
            }
            part => {
                let all = parts(other);
                let data: Vec<Part> =
                    all.into_iter().filter(|it| !matches!(it, Part::Argument(_))).collect();
                if data.contains(&part) { part } else { *self.one(&data)? }
            }
        };
        let what = format!("{} of another test as {}", named(other, like), named(test, part));
        Some((what, with(test, part, text(other, like).to_vec())))
    }

    /// A word from anywhere: of the program, of this test or of another.
    fn any_word(&mut self, test: &Case) -> Option<Vec<u8>> {
        match self.below(8) {
            0..=2 => self.one(self.lexicon.words(Rank::Change)).cloned(),
            3 => self.one(self.lexicon.words(Rank::Function)).cloned(),
            4 => self.one(self.lexicon.words(Rank::Program)).cloned(),
            5 => {
                let paths: Vec<&Entry> = test.tree.iter().collect();
                let path = &self.one(&paths)?.path;
                let name = path.rsplit(|byte| *byte == b'/').next()?;
                Some(name.to_vec())
            }
            own => {
                let other = *self.one(self.tests)?;
                let from = if own == 6 { test } else { other };
                let part = *self.one(&parts(from))?;
                let text = text(from, part);
                let grain = if self.below(2) == 0 { Grain::Word } else { Grain::Field };
                let piece = self.one(&pieces(text, grain))?.clone();
                Some(text[piece].to_vec())
            }
        }
    }

    /// A piece of the test.
    fn piece(&mut self, test: &Case, grain: Grain) -> Option<(Part, Range<usize>)> {
        let part = *self.one(&parts(test))?;
        let piece = self.one(&pieces(text(test, part), grain))?.clone();
        Some((part, piece))
    }

    fn grain(&mut self) -> Grain {
        match self.below(3) {
            0 => Grain::Field,
            _ => Grain::Word,
        }
    }

    fn word(&mut self, test: &Case) -> Option<(String, Case)> {
        let grain = self.grain();
        let (part, piece) = self.piece(test, grain)?;
        let own = text(test, part);
        let before = own[piece.clone()].to_vec();
        let siblings = self.lexicon.siblings(&before);
        let word = match !siblings.is_empty() && self.below(2) == 0 {
            true => self.one(&siblings)?.to_vec(),
            false => self.any_word(test)?,
        };
        let what =
            format!("{} in place of {} in {}", quoted(&word), quoted(&before), named(test, part));
        Some((what, with(test, part, replaced(own, &piece, &word))))
    }

    fn insert(&mut self, test: &Case) -> Option<(String, Case)> {
        // Another argument.
        if self.below(4) == 0 {
            let word = self.any_word(test)?;
            let at = self.below(test.arguments.len() + 1);
            let mut arguments = test.arguments.clone();
            arguments.insert(at, word.iter().copied().take_while(|byte| *byte != 0).collect());
            let what = format!("{} as argument {}", quoted(&word), at + 1);
            return Some((what, Case { arguments, ..test.clone() }));
        }
        let part = *self.one(&parts(test))?;
        let own = text(test, part);
        let at = match self.below(3) {
            0 => self.below(own.len() + 1),
            _ => *self.one(&seams(own, &pieces(own, Grain::Word)))?,
        };
        let word = match self.below(4) {
            0 => self.one(&BYTES)?.to_vec(),
            1 => vec![*self.one(own)?],
            _ => self.any_word(test)?,
        };
        let over = at..at + word.len();
        if over.end <= own.len() && self.below(3) == 0 {
            let what = format!("{} over byte {at} of {}", quoted(&word), named(test, part));
            return Some((what, with(test, part, replaced(own, &over, &word))));
        }
        let with_blank = match self.below(3) {
            0 => [b" ", &word[..]].concat(),
            1 => [&word[..], b" "].concat(),
            _ => word.clone(),
        };
        let what = format!("{} at byte {at} of {}", quoted(&word), named(test, part));
        Some((what, with(test, part, replaced(own, &(at..at), &with_blank))))
    }

    fn number(&mut self, test: &Case) -> Option<(String, Case)> {
        let part = *self.one(&parts(test))?;
        let own = text(test, part);
        let is_number = |piece: &Range<usize>| own[piece.clone()].iter().all(u8::is_ascii_digit);
        let numbers: Vec<Range<usize>> =
            pieces(own, Grain::Word).into_iter().filter(is_number).collect();
        let piece = self.one(&numbers)?.clone();
        let before: i64 = std::str::from_utf8(&own[piece.clone()]).ok()?.parse().unwrap_or(0);
        let near: Vec<&Vec<u8>> = self.lexicon.words(Rank::Change).iter().collect();
        let near: Vec<&Vec<u8>> =
            near.into_iter().filter(|word| word.iter().all(u8::is_ascii_digit)).collect();
        let number = match self.below(4) {
            0 => before.wrapping_add(1).to_string().into_bytes(),
            1 => before.wrapping_sub(1).to_string().into_bytes(),
            2 if !near.is_empty() => self.one(&near)?.to_vec(),
            _ => self.one(&NUMBERS)?.to_vec(),
        };
        let what = format!("{} in place of {before} in {}", quoted(&number), named(test, part));
        Some((what, with(test, part, replaced(own, &piece, &number))))
    }

    fn without(&mut self, test: &Case) -> Option<(String, Case)> {
        let grain = self.grain();
        let (part, mut piece) = self.piece(test, grain)?;
        let own = text(test, part);
        match self.below(4) {
            // What stands between two words.
            0 => piece = piece.end..(piece.end + 1).min(own.len()),
            1 => piece = piece.start.saturating_sub(1)..piece.start,
            _ => {}
        }
        let what = format!("without {} in {}", quoted(&own[piece.clone()]), named(test, part));
        Some((what, with(test, part, replaced(own, &piece, b""))))
    }

    fn often(&mut self, test: &Case) -> Option<(String, Case)> {
        let grain = [Grain::Word, Grain::Field, Grain::Line][self.below(3)];
        let (part, mut piece) = self.piece(test, grain)?;
        let own = text(test, part);
        if self.below(2) == 0 {
            let at = piece.start + self.below(piece.len());
            piece = at..at + 1;
        }
        let times = *self.one(&OFTEN)?;
        if own.len() + piece.len() * times > LONGEST {
            return None;
        }
        let repeated = own[piece.clone()].repeat(times);
        let what =
            format!("{} {times} times in {}", quoted(&own[piece.clone()]), named(test, part));
        Some((what, with(test, part, replaced(own, &piece, &repeated))))
    }

    fn line(&mut self, test: &Case) -> Option<(String, Case)> {
        let (part, piece) = self.piece(test, Grain::Line)?;
        let own = text(test, part);
        let shown = quoted(own[piece.clone()].trim_ascii_end());
        let name = named(test, part);
        let (what, text) = match self.below(3) {
            0 => (format!("without the line {shown} in {name}"), replaced(own, &piece, b"")),
            1 => {
                let at = self.one(&pieces(own, Grain::Line))?.start;
                let line = own[piece].to_vec();
                (format!("the line {shown} again in {name}"), replaced(own, &(at..at), &line))
            }
            _ => {
                let other = *self.one(self.tests)?;
                let (from, line) = self.piece(other, Grain::Line)?;
                let mut line = self::text(other, from)[line].to_vec();
                let shown = quoted(line.trim_ascii_end());
                if !line.ends_with(b"\n") {
                    line.push(b'\n');
                }
                let what = format!("the line {shown} of another test in {name}");
                (what, replaced(own, &(piece.start..piece.start), &line))
            }
        };
        Some((what, with(test, part, text)))
    }

    /// A word is another one wherever it stands, also in the names of files.
    fn rename(&mut self, test: &Case) -> Option<(String, Case)> {
        let grain = self.grain();
        let (part, piece) = self.piece(test, grain)?;
        let before = text(test, part)[piece].to_vec();
        let word = match self.below(2) {
            0 => self.any_word(test)?,
            _ => {
                let byte = *before.last()?;
                let times = [1, 16, 100, 200][self.below(4)];
                [&before[..], &vec![byte; times]].concat()
            }
        };
        if word.contains(&0) || word.contains(&b'/') || word.contains(&b'\n') {
            return None;
        }
        let mut case = test.clone();
        for part in parts(test) {
            let own = text(test, part);
            let same: Vec<Range<usize>> =
                pieces(own, grain).into_iter().filter(|it| own[it.clone()] == before).collect();
            let changed =
                same.iter().rev().fold(own.to_vec(), |text, it| replaced(&text, it, &word));
            case = with(&case, part, changed);
        }
        for entry in &mut case.tree {
            let names = entry.path.split(|byte| *byte == b'/');
            let names: Vec<&[u8]> =
                names.map(|name| if name == before { &word[..] } else { name }).collect();
            entry.path = names.join(&b'/');
        }
        Some((format!("{} for {} everywhere", quoted(&word), quoted(&before)), case))
    }

    /// An entry of the tree less, of another kind, of another mode.
    fn tree(&mut self, test: &Case) -> Option<(String, Case)> {
        let index = self.below(test.tree.len());
        let entry = test.tree.get(index)?;
        let name = String::from_utf8_lossy(&entry.path).into_owned();
        let mut case = test.clone();
        let what = match self.below(4) {
            0 => {
                case.tree.remove(index);
                format!("without {name}")
            }
            1 => {
                let mode = *self.one(&MODES)?;
                case.tree[index].mode = mode;
                format!("{name} with mode {mode:o}")
            }
            2 => {
                case.tree[index] = Entry::directory(entry.path.clone());
                format!("{name} as a folder")
            }
            _ => {
                let word = self.any_word(test)?;
                if word.contains(&0) || word.contains(&b'/') || word.len() > 255 {
                    return None;
                }
                let mut other = entry.clone();
                let folder = entry.path.iter().rposition(|byte| *byte == b'/');
                let folder = folder.map_or(0, |at| at + 1);
                other.path = [&entry.path[..folder], &word].concat();
                if case.tree.iter().any(|known| known.path == other.path) {
                    return None;
                }
                case.tree.push(other);
                format!("{} beside {name}", quoted(&word))
            }
        };
        Some((what, case))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::super::lexicon::tests::lexicon;
    use super::*;

    fn case(words: &[&str], stdin: &str) -> Case {
        Case {
            arguments: words.iter().map(|word| word.as_bytes().to_vec()).collect(),
            stdin: Stdin::Pipe(stdin.as_bytes().to_vec()),
            ..Case::default()
        }
    }

    fn inputs(shapes: &[(String, Case)]) -> BTreeSet<String> {
        let input = |(_, case): &(String, Case)| {
            let stdin = String::from_utf8_lossy(case.stdin.bytes().unwrap_or_default());
            format!("{} < {stdin}", String::from_utf8_lossy(&case.arguments.join(&b' ')))
        };
        shapes.iter().map(input).collect()
    }

    #[test]
    fn what_the_change_names_is_tried_everywhere() {
        let lexicon = lexicon();
        let shapes = inputs(&near_words(&case(&["gnu"], "n 5"), &lexicon));
        for expected in ["oldgnu < n 5", "magic < n 5", "gnu < magic 5", "gnu < nmagic 5"] {
            assert!(shapes.contains(expected), "{expected}: {shapes:?}");
        }
    }

    #[test]
    fn steps_are_of_all_kinds() {
        let lexicon = lexicon();
        let test = Case {
            tree: vec![Entry::file("in", "one 2\n")],
            ..case(&["in", "x"], "in the\nmiddle\n")
        };
        let other = case(&["y"], "last\n");
        let tests = [&test, &other];
        let mut moves = Moves::new(&lexicon, &tests, 1);
        let steps: Vec<(String, Case)> = (0..20_000).filter_map(|_| moves.step(&test)).collect();
        assert!(steps.iter().all(|(_, case)| *case != test));
        let whats: BTreeSet<&str> = steps.iter().map(|(what, _)| &**what).collect();
        for expected in [
            "`magic` in place of `x` in argument 2",
            "`magic` as argument 1",
            "`2147483648` in place of 2 in in",
            "without `the` in standard input",
            "`e` 1024 times in standard input",
            "without the line `middle` in standard input",
            "the line `last` of another test in standard input",
            "argument 1 of another test as argument 2",
            "the arguments of another test",
            "standard input of another test as standard input",
            "`inn` for `in` everywhere",
            "without in",
            "in as a folder",
            "in with mode 0",
            "`\\x00` at byte 2 of in",
        ] {
            assert!(whats.contains(expected), "{expected}");
        }
        let renamed = steps.iter().find(|(what, _)| what == "`inn` for `in` everywhere").unwrap();
        assert_eq!(renamed.1.tree[0].path, b"inn");
        assert_eq!(renamed.1.arguments[0], b"inn");
        assert_eq!(renamed.1.stdin.bytes(), Some(&b"inn the\nmiddle\n"[..]));
        let again: Vec<_> = {
            let mut moves = Moves::new(&lexicon, &tests, 1);
            (0..100).filter_map(|_| moves.step(&test)).collect()
        };
        assert_eq!(again[..], steps[..again.len()]);
    }
}
