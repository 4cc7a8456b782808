//! What the words of the command line mean: one program with its changes annotated, or two programs.
//!
//! `umbra diff OLD NEW -- ARGS` are two, `umbra diff PROGRAM ARGS` is one. Two names without `--` are
//! two programs if both are files that can be loaded. If the first then turns out to be annotated, both readings make sense, and it
//! is for the user to say which is meant.

use std::ffi::{OsStr, OsString};
use std::io::Read;
use std::path::Path;

use umbra_jobs::NotReplayed;
use umbra_text::Show;

/// What stands between programs and arguments.
pub const SEPARATOR: &str = "--";

/// What the words mean.
#[derive(Debug, PartialEq, Eq)]
pub enum Reading {
    /// A program and its arguments.
    One,
    /// Two programs and arguments.
    Two,
    /// Two programs, if the first is not annotated.
    Perhaps,
}

/// Reads the words: their meaning, and the words without the separator.
pub fn read(words: &[OsString]) -> (Reading, Vec<OsString>) {
    let is_separator = |at: usize| words.get(at).is_some_and(|word| word == SEPARATOR);
    let without = |at: usize| {
        let words = words.iter().enumerate().filter(|(index, _)| *index != at);
        words.map(|(_, word)| word.clone()).collect()
    };
    if is_separator(1) {
        return (Reading::One, without(1));
    }
    if is_separator(2) {
        return (Reading::Two, without(2));
    }
    let perhaps = words.get(1).is_some_and(|word| is_program(word.as_ref()));
    (if perhaps { Reading::Perhaps } else { Reading::One }, words.to_vec())
}

/// The command line with the flags behind two programs before them: `umbra diff old.c new.c --complete`. `None` if
/// there are none. `words` are those from the first program on.
pub fn flags_first(line: &[OsString], words: &[OsString]) -> Option<Vec<OsString>> {
    let [old, new, rest @ ..] = words else { return None };
    let own = rest.iter().take_while(|word| *word != SEPARATOR).count();
    let (flags, arguments) = rest.split_at(own);
    let is_flag = |word: &OsString| word.as_encoded_bytes().starts_with(b"-") && word != "-";
    if !flags.first().is_some_and(is_flag) || !is_program(new.as_ref()) {
        return None;
    }
    let before = line.strip_suffix(words)?;
    Some([before, flags, &[old.clone(), new.clone()], arguments].concat())
}

/// Whether a file is something that `umbra` can load.
fn is_program(path: &Path) -> bool {
    let mut magic = [0u8; 4];
    let length = std::fs::File::open(path).and_then(|mut file| file.read(&mut magic)).unwrap_or(0);
    match &magic[..length] {
        b"\x7fELF" => {
            let mut bitcode = path.as_os_str().to_owned();
            bitcode.push(".bc");
            Path::new(&bitcode).exists()
        }
        b"BC\xc0\xde" | b"\xde\xc0\x17\x0b" => true,
        _ => length > 0 && path.extension() == Some(OsStr::new("c")),
    }
}

/// What is said if two names can be read in two ways.
pub fn ambiguous(old: &Path, new: &Path) -> String {
    let (a, b) = (old.shown(), new.shown());
    format!(
        "`{a} {b}` can be read in two ways, since {a} has annotated changes and {b} is a program:\n  \
         umbra diff {a} -- {b}    the versions in {a}, with {b} as its argument\n  \
         umbra diff {a} {b} --    {a} as the old version, {b} as the new one"
    )
}

/// Why not all test cases ran natively, by the flag that says so if there is one.
pub fn not_replayed(reason: &NotReplayed) -> String {
    match reason {
        NotReplayed::Unwanted => "--no-replay was given".to_owned(),
        NotReplayed::OutOfTime => "--max-replay-time was reached".to_owned(),
        reason => reason.to_string(),
    }
}

/// What is said if words come with two revisions and no program.
pub fn ambiguous_range(range: &str, words: &[OsString]) -> String {
    let words: Vec<String> = words.iter().map(|word| word.shown().to_string()).collect();
    let (range, words) = (range.shown(), words.join(" "));
    format!(
        "`--range {range} {words}` can be read in two ways:\n  \
         umbra diff {words}    two programs, and no revisions\n  \
         umbra diff --range {range} --program NAME -- {words}    a program of both revisions, on these arguments"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_may_stand_behind_two_programs() {
        let words = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("b.c");
        std::fs::write(&source, "int main(void) {}").unwrap();
        let moved = |command: &str| {
            let command = words(&command.replace("b.c", source.to_str().unwrap()));
            let line = [words("umbra diff --json"), command.clone()].concat();
            let line = flags_first(&line, &command)?.join(OsStr::new(" "));
            Some(line.to_str()?.replace(source.to_str()?, "b.c"))
        };
        let all = |text: &str| Some(format!("umbra diff --json {text}"));
        assert_eq!(moved("a b.c --complete"), all("--complete a b.c"));
        assert_eq!(moved("a b.c --function f -- -x --"), all("--function f a b.c -- -x --"));
        assert_eq!(moved("a b.c -- --complete"), None);
        assert_eq!(moved("a b.c - --complete"), None, "an argument comes first");
        assert_eq!(moved("a /nonexistent --complete"), None, "one program");
        assert_eq!(moved("a --complete"), None);
    }

    #[test]
    fn the_separator_says_what_is_meant() {
        let words = |text: &str| -> Vec<OsString> { text.split(' ').map(OsString::from).collect() };
        assert_eq!(read(&words("a -- b")), (Reading::One, words("a b")));
        assert_eq!(read(&words("a b -- c --")), (Reading::Two, words("a b c --")));
        assert_eq!(read(&words("a b --")), (Reading::Two, words("a b")));
        assert_eq!(read(&words("a /nonexistent")), (Reading::One, words("a /nonexistent")));
    }
}
