//! What may be shown to people as it is.

/// Whether a character shows as itself: no control, no invisible or combining characters, which
/// could hide or reorder what stands around them.
fn is_visible(character: char) -> bool {
    match character {
        '\'' | '"' | '\\' => true,
        _ => character.escape_debug().eq([character]),
    }
}

/// The bytes as text, if they are UTF-8 and each character shows as itself or is in `also`.
pub fn visible<'a>(bytes: &'a [u8], also: &[char]) -> Option<&'a str> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.chars().all(|character| is_visible(character) || also.contains(&character)).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_shows_is_visible() {
        for text in ["", "plain text", "it's \"quoted\" \\", "Grüße, 世界", "\u{1f980}"] {
            assert_eq!(visible(text.as_bytes(), &[]), Some(text));
        }
        for text in ["\0", "tab\t", "\u{7f}", "\u{85}", "\u{202e}reversed", "\u{301}", "\u{feff}"] {
            assert_eq!(visible(text.as_bytes(), &[]), None, "{text:?}");
        }
        assert_eq!(visible(b"\xff", &[]), None);
        assert_eq!(visible(b"a\tb", &['\t']), Some("a\tb"));
    }
}
