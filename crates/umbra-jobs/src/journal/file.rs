//! The file of a journal.
//!
//! A line that says what it is, then what the run is (its head), then where it stands (an entry): one line of JSON
//! each. The first line has the length and a checksum of the rest. The file is replaced as a whole, so it is there
//! whole or as it was before; what is damaged anyhow is not read.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::error::{Damage, JournalError};

/// What the file is called in the folder of a run.
pub const NAME: &str = "journal";

/// The form of the file; one of another number is not read.
const SCHEMA: u32 = 2;

/// The first words of the file.
const MAGIC: &str = "umbra journal";

/// A journal as it is in its file.
pub struct Text {
    /// What the run is.
    pub head: String,
    /// Where it stands.
    pub entry: String,
}

/// Writes a journal in place of an older one.
pub fn write(folder: &Path, head: &str, entry: &impl Serialize) -> Result<(), JournalError> {
    let mut text = first_line(&[]).into_bytes();
    let start = text.len();
    text.extend_from_slice(head.as_bytes());
    text.push(b'\n');
    serde_json::to_writer(&mut text, entry).map_err(JournalError::Encode)?;
    text.push(b'\n');
    let first = first_line(&text[start..]);
    text[..start].copy_from_slice(first.as_bytes());
    let lost = "what another process needs to go on if this one is killed";
    Ok(umbra_report::write_file(&folder.join(NAME), &text, lost)?)
}

/// The first line, with length and checksum of all that comes after it. It is always of the same length.
fn first_line(body: &[u8]) -> String {
    format!("{MAGIC} {SCHEMA} {:016x} {:08x}\n", body.len(), crc32fast::hash(body))
}

/// Reads a journal.
pub fn read(folder: &Path) -> Result<Text, JournalError> {
    let path = folder.join(NAME);
    match std::fs::read(&path) {
        Ok(bytes) => parse(&bytes).map_err(|how| JournalError::Bad { path, how }),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(JournalError::None(folder.to_owned()))
        }
        Err(source) => Err(JournalError::Read { path, source }),
    }
}

fn parse(bytes: &[u8]) -> Result<Text, Damage> {
    let text = std::str::from_utf8(bytes).ok().and_then(|text| text.strip_prefix(MAGIC));
    let (first, body) = text.and_then(|text| text.split_once('\n')).ok_or(Damage::Other)?;
    let words: Vec<&str> = first.split_whitespace().collect();
    let &[schema, length, sum] = words.as_slice() else { return Err(Damage::Other) };
    let schema: u32 = schema.parse().map_err(|_| Damage::Other)?;
    if schema != SCHEMA {
        return Err(Damage::Schema(schema));
    }
    if usize::from_str_radix(length, 16) != Ok(body.len()) {
        return Err(Damage::Cut);
    }
    if u32::from_str_radix(sum, 16) != Ok(crc32fast::hash(body.as_bytes())) {
        return Err(Damage::Sum);
    }
    // Numbers can be written in other ways, as with a plus in front, but not by us.
    if bytes[..bytes.len() - body.len()] != *first_line(body.as_bytes()).as_bytes() {
        return Err(Damage::Other);
    }
    let (head, entry) = body.trim_end().split_once('\n').ok_or(Damage::Cut)?;
    Ok(Text { head: head.to_owned(), entry: entry.to_owned() })
}

/// A part of a journal as a value.
pub fn value<T: DeserializeOwned>(part: &str) -> Result<T, JournalError> {
    serde_json::from_str(part).map_err(JournalError::Contents)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let folder = tempfile::tempdir().unwrap();
        for entry in ["one", "another"] {
            write(folder.path(), "{\"head\":1}", &entry).unwrap();
            let text = read(folder.path()).unwrap();
            assert_eq!(text.head, "{\"head\":1}");
            assert_eq!(value::<String>(&text.entry).unwrap(), entry);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_file_that_was_changed_is_refused_with_the_reason() {
        let folder = tempfile::tempdir().unwrap();
        let error = |bytes: &[u8]| {
            std::fs::write(folder.path().join(NAME), bytes).unwrap();
            read(folder.path()).err().expect("it is no journal").to_string()
        };
        write(folder.path(), "{}", &"entry").unwrap();
        let whole = std::fs::read(folder.path().join(NAME)).unwrap();
        assert!(error(b"").contains("not a journal"));
        assert!(error(&whole[..whole.len() - 3]).contains("not whole"));
        let mut damaged = whole.clone();
        *damaged.last_mut().unwrap() = b'x';
        assert!(error(&damaged).contains("checksum"));
        let other = String::from_utf8(whole).unwrap().replacen("journal 2", "journal 7", 1);
        let message = error(other.as_bytes());
        assert!(
            message.contains("another version of umbra") && message.contains("form 7"),
            "{message}"
        );
    }

    #[test]
    fn every_cut_and_every_flipped_bit_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "{\"a\":[1,2]}", &vec!["x", "y"]).unwrap();
        let whole = std::fs::read(folder.path().join(NAME)).unwrap();
        assert!((0..whole.len()).all(|length| parse(&whole[..length]).is_err()));
        for bit in 0..whole.len() * 8 {
            let mut flipped = whole.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(parse(&flipped).is_err(), "bit {bit}");
        }
    }
}
