//! What a version does on an input, and what the input is, for people.

use std::borrow::Cow;
use std::fmt::Write;

use umbra_case::{Case, Descriptor, EntryKind};
use umbra_compare::{Captured, Outcome};
use umbra_report::{Behaviour, InputPart, Piece, Stream};
use umbra_text::Show;
use umbra_words::End;

/// Bytes of a stream that are shown.
const STREAM: usize = 16 << 10;

/// Bytes of a part of an input that are shown.
const PART: usize = 2 << 10;

/// Signals by their numbers in Linux, as far as programs of their own accord end by them.
const SIGNALS: [(i32, &str); 16] = [
    (1, "SIGHUP"),
    (2, "SIGINT"),
    (3, "SIGQUIT"),
    (4, "SIGILL"),
    (5, "SIGTRAP"),
    (6, "SIGABRT"),
    (7, "SIGBUS"),
    (8, "SIGFPE"),
    (9, "SIGKILL"),
    (11, "SIGSEGV"),
    (13, "SIGPIPE"),
    (14, "SIGALRM"),
    (15, "SIGTERM"),
    (24, "SIGXCPU"),
    (25, "SIGXFSZ"),
    (31, "SIGSYS"),
];

/// The name of a signal.
pub fn signal(number: i32) -> Cow<'static, str> {
    let known = SIGNALS.iter().find(|(known, _)| *known == number);
    known.map_or_else(|| format!("signal {number}").into(), |(_, name)| (*name).into())
}

/// What a run shows.
pub fn behaviour(outcome: &Outcome) -> Behaviour {
    let (end, status) = match &outcome.end {
        End::Exited(status) => (format!("exit status {status}"), u8::try_from(*status).ok()),
        End::Killed(number) => {
            let status = u8::try_from(128 + number).ok();
            (format!("killed by {}", signal(*number)), status)
        }
        End::Hung => ("does not end".to_owned(), None),
        end => (end.to_string(), None),
    };
    let error = outcome.report.as_ref().map(|report| {
        let place = report.place.as_ref();
        let place = place.map(|place| format!(" at {}:{}", place.file, place.line));
        format!("{}{}", report.kind, place.unwrap_or_default())
    });
    Behaviour {
        end,
        status,
        stdout: stream(&outcome.stdout),
        stderr: stream(&outcome.stderr),
        error,
    }
}

fn stream(captured: &Captured) -> Stream {
    let bytes = &captured.bytes;
    let shown = &bytes[..bytes.len().min(STREAM)];
    Stream {
        text: lines(shown),
        bytes: bytes.len() as u64,
        cut: captured.cut || shown.len() < bytes.len(),
    }
}

/// Bytes as text; what cannot be shown is escaped, but for the ends of lines.
fn lines(bytes: &[u8]) -> String {
    let mut text = String::new();
    for (number, line) in bytes.split(|byte| *byte == b'\n').enumerate() {
        if number > 0 {
            text.push('\n');
        }
        // A string takes everything.
        let _ = write!(text, "{}", String::from_utf8_lossy(line).shown());
    }
    text
}

/// The parts of a case's input, with what is not as in the case that it was made from. Of the tree and the environment only
/// what is other than there, and files that can be shown.
pub fn input(case: &Case, seed: Option<&Case>) -> Vec<InputPart> {
    let mut parts = Vec::new();
    for (number, argument) in case.arguments.iter().enumerate() {
        let before = seed.map(|seed| seed.arguments.get(number).map_or(&[][..], Vec::as_slice));
        parts.push(part(format!("argument {}", number + 1), argument, before));
    }
    if let Some(bytes) = stdin(case) {
        parts.push(part(
            "standard input".to_owned(),
            bytes,
            seed.map(|seed| stdin(seed).unwrap_or_default()),
        ));
    }
    for variable in &case.environment {
        let is_new = seed.is_none_or(|seed| !seed.environment.contains(variable));
        if seed.is_some() && is_new {
            parts.push(part("environment".to_owned(), variable, Some(&[])));
        }
    }
    for entry in &case.tree {
        let EntryKind::File(content) = &entry.kind else { continue };
        let before = seed.map(|seed| {
            let same = seed.tree.iter().find(|other| other.path == entry.path);
            match same.map(|entry| &entry.kind) {
                Some(EntryKind::File(content)) => content.as_slice(),
                _ => &[],
            }
        });
        // Suites leave all their files around; what a case is about are those that differ.
        if before.is_some_and(|before| before == content.as_slice()) {
            continue;
        }
        let name = String::from_utf8_lossy(&entry.path).shown().to_string();
        parts.push(part(format!("file {name}"), content, before));
    }
    for object in &case.objects {
        let name = String::from_utf8_lossy(&object.name).shown().to_string();
        parts.push(part(format!("object {name}"), &object.bytes, None));
    }
    parts
}

/// The bytes that come from standard input.
fn stdin(case: &Case) -> Option<&[u8]> {
    match case.descriptors.get(&0) {
        Some(Descriptor::Pipe(bytes)) => Some(bytes),
        _ => case.stdin.bytes(),
    }
}

fn part(name: String, bytes: &[u8], before: Option<&[u8]>) -> InputPart {
    let shown = &bytes[..bytes.len().min(PART)];
    let pieces = match before {
        Some(before) => pieces(shown, before),
        None => vec![Piece { text: lines(shown), changed: false }],
    };
    InputPart { name, pieces, cut: shown.len() < bytes.len() }
}

/// Bytes, cut where they begin or cease to be those of the seed. Of one length they are compared one by one; otherwise what
/// both begin and end with is the same.
fn pieces(bytes: &[u8], before: &[u8]) -> Vec<Piece> {
    let changed: Vec<bool> = match bytes.len() == before.len() {
        true => bytes.iter().zip(before).map(|(one, other)| one != other).collect(),
        false => {
            let start = common(bytes.iter(), before.iter());
            let rest = bytes.len().min(before.len()) - start;
            let end = common(bytes.iter().rev(), before.iter().rev()).min(rest);
            (0..bytes.len()).map(|at| at >= start && at < bytes.len() - end).collect()
        }
    };
    let mut pieces: Vec<Piece> = Vec::new();
    let mut from = 0;
    for to in 1..=bytes.len() {
        if to == bytes.len() || changed[to] != changed[from] {
            pieces.push(Piece { text: lines(&bytes[from..to]), changed: changed[from] });
            from = to;
        }
    }
    pieces
}

fn common<'a>(one: impl Iterator<Item = &'a u8>, other: impl Iterator<Item = &'a u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(bytes: &str, before: &str) -> String {
        let pieces = pieces(bytes.as_bytes(), before.as_bytes());
        let mark = |piece: &Piece| match piece.changed {
            true => format!("[{}]", piece.text),
            false => piece.text.clone(),
        };
        pieces.iter().map(mark).collect()
    }

    #[test]
    fn what_the_solver_changed_is_marked() {
        for (bytes, before, expected) in [
            ("", "", ""),
            ("abc", "abc", "abc"),
            ("axc", "abc", "a[x]c"),
            ("xbz", "abc", "[x]b[z]"),
            ("abbc", "abc", "ab[b]c"),
            ("ac", "abc", "ac"),
            ("", "abc", ""),
            ("new", "", "[new]"),
            ("a\0c", "abc", "a[\\x00]c"),
        ] {
            assert_eq!(marked(bytes, before), expected, "{bytes:?} {before:?}");
        }
    }

    #[test]
    fn an_input_has_what_is_not_as_in_the_seed() {
        use umbra_case::{Entry, Stdin};
        let seed = Case {
            arguments: vec![b"-a".to_vec()],
            stdin: Stdin::Pipe(b"1 2".to_vec()),
            environment: vec![b"A=1".to_vec()],
            tree: vec![Entry::file("same", "x"), Entry::file("other", "x")],
            ..Case::default()
        };
        let mut case = Case { environment: vec![b"A=2".to_vec()], ..seed.clone() };
        case.arguments = vec![b"-a".to_vec(), b"b".to_vec()];
        case.tree[1] = Entry::file("other", "xy");
        let names = |case: &Case, seed| {
            let parts = input(case, seed);
            parts.into_iter().map(|part| part.name).collect::<Vec<_>>()
        };
        let changed = ["argument 1", "argument 2", "standard input", "environment", "file other"];
        assert_eq!(names(&case, Some(&seed)), changed);
        let alone = ["argument 1", "argument 2", "standard input", "file same", "file other"];
        assert_eq!(names(&case, None), alone);
    }
}
