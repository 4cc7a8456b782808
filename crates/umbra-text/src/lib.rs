//! Text that comes from others, fit for a terminal.
//!
//! Names of files and programs, what compilers, git and programs under test print, what is in a
//! test case: somebody else chose it, and a terminal does what control characters say. [`Shown`]
//! is such a text as one line without any; [`Clean`] is what a whole page goes through on its way out, so
//! that nothing gets by that somebody forgot.
//!
//! Control characters are those of ASCII and of Latin-1 (C1), and the ones of Unicode that turn the direction
//! of writing, end a line, or cannot be seen. They come out as `\n`, `\x1b`, `\u{202e}`; bytes that are
//! no UTF-8 as `\xff`. A backslash is itself: this is for eyes, and cannot be read back.

mod clean;
mod hex;
mod shown;

pub use clean::{Clean, Colours, json};
pub use hex::{from_hex, to_hex};
pub use shown::{Show, Shown};

/// Whether a terminal would do something for this character other than show it.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e007f}'
        )
}

/// A control character as text.
fn escape(character: char, out: &mut impl std::fmt::Write) -> std::fmt::Result {
    match character {
        '\n' => out.write_str("\\n"),
        '\r' => out.write_str("\\r"),
        '\t' => out.write_str("\\t"),
        '\0'..='\x7f' => write!(out, "\\x{:02x}", character as u32),
        _ => write!(out, "\\u{{{:x}}}", character as u32),
    }
}
