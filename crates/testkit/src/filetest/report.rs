//! Reading and normalising what `umbra run` says on standard error.

use super::directives::Finding;

/// A report starts with one of these.
const STARTS: [(&str, Option<&str>); 2] =
    [("umbra: error: ", None), ("umbra: unsupported: ", Some("unsupported"))];

/// The findings in a text, each at the innermost place of its stack that lies in `file`.
pub fn findings(text: &str, file: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(kind) = kind_of(line) else {
            continue;
        };
        let mut place = 0;
        while let Some(frame) = lines.next_if(|line| line.starts_with("    #")) {
            if place == 0 {
                place = line_in(frame, file).unwrap_or(0);
            }
        }
        findings.push(Finding { line: place, kind });
    }
    findings.sort();
    findings
}

/// The kind of finding that a line starts the report of.
fn kind_of(line: &str) -> Option<String> {
    STARTS.iter().find_map(|(start, name)| {
        // The program may have left its last line open.
        let at = line.find(start)?;
        let kind = line[at + start.len()..].split(':').next()?;
        Some(name.unwrap_or(kind).to_owned())
    })
}

/// The line of a frame `    #1 main at FILE:LINE:COLUMN`, if it is of this file.
fn line_in(frame: &str, file: &str) -> Option<u32> {
    let (_, place) = frame.rsplit_once(" at ")?;
    let rest = place.strip_prefix(file)?.strip_prefix(':')?;
    rest.split(':').next()?.parse().ok()
}

/// Takes out what may change without anybody minding: addresses, and where in the libc a frame is.
pub fn normalise(text: &str) -> String {
    let mut result = String::new();
    for line in text.split_inclusive('\n') {
        match line.split_once(" at musl/") {
            Some((start, _)) if line.starts_with("    #") => {
                result += start;
                result += " in libc\n";
            }
            _ => result += &hide_addresses(line),
        }
    }
    result
}

/// Addresses of objects and functions start at 4 MiB; what is shorter is a null pointer with an offset.
fn hide_addresses(line: &str) -> String {
    let mut parts = line.split("0x");
    let mut result = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take_while(u8::is_ascii_hexdigit).count();
        result += "0x";
        if digits >= 6 {
            result += "...";
            result += &part[digits..];
        } else {
            result += part;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    const REPORT: &str = "hello\numbra: error: use-after-free: read of 1 byte at 0x4c000017c0\n    \
        #0 strlen at musl/src/string/strlen.c:5:2\n    #1 main at a.c:6:3\n    #2 start at a.c:9:1\n  \
        5 bytes into heap object of 10 bytes\n  freed here:\n    #0 main at a.c:5:13\n";

    #[test]
    fn finds_the_innermost_place_in_the_file() {
        let expected = Finding { line: 6, kind: "use-after-free".to_owned() };
        assert_eq!(findings(REPORT, "a.c"), [expected]);
        assert_eq!(findings(REPORT, "b.c")[0].line, 0);
        assert_eq!(findings("umbra: stopped\n", "a.c"), []);
    }

    #[test]
    fn hides_addresses_and_places_in_libc() {
        let text = normalise(REPORT);
        assert!(text.contains("at 0x...\n    #0 strlen in libc\n    #1 main at a.c:6:3\n"));
        assert_eq!(normalise("null pointer 0x10\n"), "null pointer 0x10\n");
    }
}
