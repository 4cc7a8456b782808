//! A text taken apart: words, what stands between blanks, lines.

use std::ops::Range;

/// What a text is taken apart into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Letters and digits that follow each other.
    Word,
    /// What stands between blanks.
    Field,
    /// A line with its end.
    Line,
}

/// The pieces of a text.
pub fn pieces(text: &[u8], grain: Grain) -> Vec<Range<usize>> {
    match grain {
        Grain::Word => runs(text, |byte| byte.is_ascii_alphanumeric() || byte == b'_'),
        Grain::Field => runs(text, |byte| !byte.is_ascii_whitespace() && byte != 0),
        Grain::Line => {
            let mut start = 0;
            let lines = text.split_inclusive(|byte| *byte == b'\n').map(|line| {
                let range = start..start + line.len();
                start = range.end;
                range
            });
            lines.collect()
        }
    }
}

fn runs(text: &[u8], is_part: impl Fn(u8) -> bool) -> Vec<Range<usize>> {
    let (mut all, mut start) = (Vec::new(), None);
    for (at, byte) in text.iter().enumerate() {
        match (is_part(*byte), start) {
            (true, None) => start = Some(at),
            (false, Some(first)) => {
                all.push(first..at);
                start = None;
            }
            _ => {}
        }
    }
    all.extend(start.map(|first| first..text.len()));
    all
}

/// The text with something else in place of a piece.
pub fn replaced(text: &[u8], piece: &Range<usize>, with: &[u8]) -> Vec<u8> {
    [&text[..piece.start], with, &text[piece.end..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &[u8], grain: Grain) -> Vec<String> {
        let pieces = pieces(text, grain).into_iter();
        pieces.map(|piece| String::from_utf8_lossy(&text[piece]).into_owned()).collect()
    }

    #[test]
    fn a_text_has_words_fields_and_lines() {
        let text = b"a-b_c =1\n\nlast";
        assert_eq!(shown(text, Grain::Word), ["a", "b_c", "1", "last"]);
        assert_eq!(shown(text, Grain::Field), ["a-b_c", "=1", "last"]);
        assert_eq!(shown(text, Grain::Line), ["a-b_c =1\n", "\n", "last"]);
        assert!(pieces(b"", Grain::Line).is_empty());
        assert_eq!(replaced(text, &(0..1), b"new"), b"new-b_c =1\n\nlast");
    }
}
