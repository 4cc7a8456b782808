//! Two texts beside each other: which lines belong together, and which words of them differ.
//!
//! All text that comes out is fit to be shown ([`umbra_text::Show`]): there is nothing in it that a terminal would do
//! something for. Texts and lines that are too long are compared at their ends only, so that this takes no time.

use similar::{Algorithm, DiffOp, capture_diff_slices};
use umbra_text::Show;

use crate::Stream;

/// More lines, or more words in a line, are not compared one by one.
const MOST: usize = 2000;

/// Lines of which less than one word in this many is alike are other lines.
const ALIKE: usize = 5;

/// Stands for a missing end of the line: text that is shown has no such character of its own.
const NO_END: char = '\0';

/// How that is shown.
const NO_END_SHOWN: &str = " [no end of line]";

/// Part of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub text: String,
    /// The other line does not have it.
    pub differs: bool,
}

impl Span {
    fn of(text: &str, differs: bool) -> Self {
        Self { text: text.replace(NO_END, NO_END_SHOWN), differs }
    }
}

/// How the two lines of a row are related.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sign {
    Same,
    Changed,
    Removed,
    Added,
}

/// A line of both texts, or of one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Row {
    pub sign: Sign,
    pub old: Option<Vec<Span>>,
    pub new: Option<Vec<Span>>,
}

/// The rows of two streams.
pub(super) fn rows(old: &Stream, new: &Stream) -> Vec<Row> {
    let (old_lines, new_lines) = (lines(old), lines(new));
    let mut rows = Vec::new();
    for op in operations(&old_lines, &new_lines) {
        let (_, old_range, new_range) = op.as_tag_tuple();
        for index in 0..old_range.len().max(new_range.len()) {
            let old = old_lines[old_range.clone()].get(index);
            let new = new_lines[new_range.clone()].get(index);
            rows.push(row(old, new));
        }
    }
    rows
}

/// The lines as they are shown. A last line without an end says so, if that is not because the text is cut.
fn lines(stream: &Stream) -> Vec<String> {
    let mut lines: Vec<String> = stream.text.lines().map(|line| line.shown().to_string()).collect();
    if let Some(last) = lines.last_mut()
        && !stream.text.ends_with('\n')
        && !stream.cut
    {
        last.push(NO_END);
    }
    lines
}

/// What makes the new list of the old one.
fn operations<T: Eq + std::hash::Hash + Ord>(old: &[T], new: &[T]) -> Vec<DiffOp> {
    let same = |(one, other): &(&T, &T)| one == other;
    if old.len().max(new.len()) <= MOST {
        return capture_diff_slices(Algorithm::Myers, old, new);
    }
    let start = old.iter().zip(new).take_while(same).count();
    let most = old.len().min(new.len()) - start;
    let end = old.iter().rev().zip(new.iter().rev()).take(most).take_while(same).count();
    let (old_len, new_len) = (old.len() - start - end, new.len() - start - end);
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: start },
        DiffOp::Replace { old_index: start, old_len, new_index: start, new_len },
        DiffOp::Equal { old_index: start + old_len, new_index: start + new_len, len: end },
    ]
}

fn row(old: Option<&String>, new: Option<&String>) -> Row {
    let whole = |line: Option<&String>| line.map(|line| vec![Span::of(line, false)]);
    let sign = match (old, new) {
        (Some(old), Some(new)) if old == new => Sign::Same,
        (Some(old), Some(new)) => {
            let (old, new) = words(old, new);
            return Row { sign: Sign::Changed, old: Some(old), new: Some(new) };
        }
        (Some(_), None) => Sign::Removed,
        (None, _) => Sign::Added,
    };
    Row { sign, old: whole(old), new: whole(new) }
}

/// Two lines, with the words marked that the other one does not have.
pub(super) fn words(old: &str, new: &str) -> (Vec<Span>, Vec<Span>) {
    let (old_words, new_words) = (split(old), split(new));
    let (mut old, mut new) = (Vec::new(), Vec::new());
    let mut alike = 0;
    for op in operations(&old_words, &new_words) {
        let (_, old_range, new_range) = op.as_tag_tuple();
        let differs = !matches!(op, DiffOp::Equal { .. });
        if !differs {
            let words = &old_words[old_range.clone()];
            alike += words.iter().filter(|word| !word.trim().is_empty()).count();
        }
        for (range, words, out) in
            [(old_range, &old_words, &mut old), (new_range, &new_words, &mut new)]
        {
            let text = words[range].concat();
            if !text.is_empty() {
                out.push(Span::of(&text, differs));
            }
        }
    }
    let of_words = |words: &[&str]| words.iter().filter(|word| !word.trim().is_empty()).count();
    if alike * ALIKE < of_words(&old_words).max(of_words(&new_words)) {
        let whole = |words: &[&str]| vec![Span::of(&words.concat(), !words.is_empty())];
        return (whole(&old_words), whole(&new_words));
    }
    (old, new)
}

/// The words of a line: letters and digits, runs of space, and every other character alone.
fn split(line: &str) -> Vec<&str> {
    let sort = |letter: char| match letter {
        letter if letter.is_alphanumeric() || letter == '_' => 0,
        letter if letter.is_whitespace() => 1,
        _ => 2,
    };
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        let end = match sort(first) {
            2 => first.len_utf8(),
            kind => rest.find(|letter| sort(letter) != kind).unwrap_or(rest.len()),
        };
        let (word, behind) = rest.split_at(end);
        words.push(word);
        rest = behind;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(text: &str) -> Stream {
        Stream { text: text.to_owned(), bytes: text.len() as u64, cut: false }
    }

    /// The rows as text, with what differs in brackets.
    fn shown(old: &str, new: &str) -> Vec<String> {
        let side = |spans: &Option<Vec<Span>>| match spans {
            None => "-".to_owned(),
            Some(spans) => {
                let parts = spans.iter().map(|span| match span.differs {
                    true => format!("[{}]", span.text),
                    false => span.text.clone(),
                });
                parts.collect()
            }
        };
        let rows = rows(&stream(old), &stream(new));
        rows.iter().map(|row| format!("{} | {}", side(&row.old), side(&row.new))).collect()
    }

    #[test]
    fn lines_that_belong_together_are_beside_each_other() {
        assert_eq!(
            shown("a\ntotal: 3 of 4\nz\n", "a\nnew\ntotal: 3 of 5\nz\n")[2..],
            ["- | total: 3 of 5", "z | z"]
        );
        assert_eq!(
            shown("total: 3 of 4\n", "total: 3 of 5\n"),
            ["total: 3 of [4] | total: 3 of [5]"]
        );
        assert_eq!(shown("", "a\n"), ["- | a"]);
        assert_eq!(shown("", ""), Vec::<String>::new());
    }

    #[test]
    fn lines_with_nothing_alike_differ_as_a_whole() {
        assert_eq!(shown("one two three\n", "4, 5, 6\n"), ["[one two three] | [4, 5, 6]"]);
    }

    #[test]
    fn a_missing_end_of_line_and_control_characters_show() {
        assert_eq!(shown("a\n", "a"), ["a | a[ [no end of line]]"]);
        assert_eq!(shown("a", "a"), ["a [no end of line] | a [no end of line]"]);
        assert_eq!(shown("a", ""), ["a [no end of line] | -"]);
        assert_eq!(shown("\x1b[1m\t\u{202e}\n", ""), ["\\x1b[1m\\t\\u{202e} | -"]);
    }

    #[test]
    fn long_texts_are_compared_at_their_ends() {
        let many = |middle: &str| {
            let lines: Vec<String> = (0..5000).map(|line| format!("{line}\n")).collect();
            lines.concat().replace("2500\n", middle)
        };
        let rows = rows(&stream(&many("x\n")), &stream(&many("y\ny\n")));
        let differ = rows.iter().filter(|row| row.sign != Sign::Same);
        assert_eq!((rows.len(), differ.count()), (5001, 2));
    }
}
