//! Parses the reports of AddressSanitizer and UndefinedBehaviorSanitizer.
//!
//! Relied on: `==N==ERROR: AddressSanitizer: ...` or `PLACE: runtime error: ...` starts a report, the
//! first block of lines `#N 0xADDRESS (MODULE+0xOFFSET)` after it is the stack of the error, and
//! AddressSanitizer's `SUMMARY:` names the kind. Everything else is kept as text only.

use umbra_compare::{Frame, SanitizerReport};
use umbra_words::Position;

/// The kinds of undefined behaviour by a part of their message, in the names of clang's checks. The
/// first that fits counts.
const KINDS: &[(&str, &str)] = &[
    ("signed integer overflow", "signed-integer-overflow"),
    ("negation of", "signed-integer-overflow"),
    ("division by zero", "integer-divide-by-zero"),
    ("shift exponent", "shift-exponent"),
    ("left shift of", "shift-base"),
    ("out of bounds for type", "bounds"),
    ("insufficient space for an object", "object-size"),
    ("misaligned address", "alignment"),
    ("offset to null pointer", "pointer-overflow"),
    ("pointer index expression", "pointer-overflow"),
    ("addition of unsigned offset", "pointer-overflow"),
    ("subtraction of unsigned offset", "pointer-overflow"),
    ("null pointer passed as argument", "nonnull-attribute"),
    ("null pointer returned from function", "returns-nonnull-attribute"),
    ("null pointer", "null"),
    ("not a valid value for type 'bool'", "bool"),
    ("not a valid value for type", "enum"),
    ("unreachable program point", "unreachable"),
    ("reached the end of a value-returning function", "return"),
    ("variable length array bound", "vla-bound"),
    ("outside the range of representable values", "float-cast-overflow"),
    ("incorrect function type", "function"),
    ("passing zero to", "builtin"),
];

/// The first report in what a sanitizer wrote, if there is one.
pub fn parse(text: &str) -> Option<SanitizerReport> {
    let lines: Vec<&str> = text.lines().collect();
    for (index, line) in lines.iter().enumerate() {
        if let Some((_, message)) = line.split_once("ERROR: AddressSanitizer: ") {
            let kind = summary(&lines[index..]).unwrap_or_else(|| first_word(message));
            return Some(report(kind.to_owned(), None, &lines[index..]));
        }
        if let Some((place, message)) = line.split_once(": runtime error: ") {
            return Some(report(undefined(message), parse_place(place), &lines[index..]));
        }
    }
    None
}

fn report(kind: String, place: Option<Position>, lines: &[&str]) -> SanitizerReport {
    SanitizerReport { kind, place, stack: stack(lines), text: lines.join("\n") }
}

fn first_word(message: &str) -> &str {
    message.split_ascii_whitespace().next().unwrap_or("unknown")
}

fn summary<'a>(lines: &[&'a str]) -> Option<&'a str> {
    let line = lines.iter().find_map(|line| line.strip_prefix("SUMMARY: AddressSanitizer: "))?;
    Some(first_word(line))
}

fn undefined(message: &str) -> String {
    let known = KINDS.iter().find(|(part, _)| message.contains(part));
    known.map_or("undefined-behavior", |(_, kind)| *kind).to_owned()
}

/// `FILE:LINE:COLUMN`; a file's name may have colons too.
fn parse_place(text: &str) -> Option<Position> {
    let mut parts = text.rsplitn(3, ':');
    let column = parts.next()?.parse().ok()?;
    let line = parts.next()?.parse().ok()?;
    Some(Position { file: parts.next()?.trim().to_owned(), line, column })
}

/// The first block of frames.
fn stack(lines: &[&str]) -> Vec<Frame> {
    let is_frame = |line: &&&str| line.trim_start().starts_with('#');
    let block = lines.iter().skip_while(|line| !is_frame(line)).take_while(is_frame);
    block.filter_map(|line| frame(line)).collect()
}

/// `#0 0x55d0a3  (/bin/program+0xe0a3) (BuildId: 5f)`.
fn frame(line: &str) -> Option<Frame> {
    let start = line.find("(/")? + 1;
    let module_and_offset = &line[start..start + line[start..].find(')')?];
    let (module, offset) = module_and_offset.rsplit_once("+0x")?;
    let offset = u64::from_str_radix(offset, 16).ok()?;
    Some(Frame { module: module.to_owned(), offset, function: None, place: None })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(module: &str, offset: u64) -> Frame {
        Frame { module: module.to_owned(), offset, function: None, place: None }
    }

    #[test]
    fn the_kind_of_an_address_error_is_that_of_its_summary() {
        let text = "=====\n==2==ERROR: AddressSanitizer: attempting double-free on 0x60 in thread T0:\n    \
            #0 0x55  (/bin/p+0xa1b2) (BuildId: 00)\n    #1 0x56  (/lib/libc.so.6+0x1c)\n\n0x60 is located\n    \
            #0 0x57  (/bin/p+0xff)\nSUMMARY: AddressSanitizer: double-free (/bin/p+0xa1b2) \n";
        let report = parse(text).expect("a report");
        assert_eq!(report.kind, "double-free");
        assert_eq!(report.stack, [frame("/bin/p", 0xa1b2), frame("/lib/libc.so.6", 0x1c)]);
        assert_eq!(report.place, None);
        assert!(report.text.starts_with("==2==ERROR") && report.text.ends_with("0xa1b2) "));
    }

    #[test]
    fn undefined_behaviour_tells_its_place_itself() {
        let text = "a:b.c:12:7: runtime error: signed integer overflow: 1 + 2 cannot be\n    #0 0x1  (/bin/p+0x1)\n";
        let report = parse(text).expect("a report");
        assert_eq!(report.kind, "signed-integer-overflow");
        assert_eq!(report.place, Some(Position { file: "a:b.c".into(), line: 12, column: 7 }));
        assert_eq!(report.stack, [frame("/bin/p", 1)]);
    }

    #[test]
    fn what_is_no_report_is_none() {
        for text in ["", "hello\n", "==2==WARNING: AddressSanitizer failed to allocate\n"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn damaged_reports_do_no_harm() {
        let text = "==2==ERROR: AddressSanitizer: \n    #0 (/\n    #1 (/x+0xzz)\n    #2 (/x+0x1";
        let report = parse(text).expect("a report");
        assert_eq!((report.kind.as_str(), report.stack.len()), ("unknown", 0));
    }
}
