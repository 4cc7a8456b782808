//! A line diff for messages: what differs, not what is the same.

use std::fmt::Write;

use similar::TextDiff;

/// The lines that only one text has, `-` for the expected and `+` for the actual one, with a line
/// of context around; nothing if the texts are equal.
pub fn lines(expected: &str, actual: &str) -> String {
    let diff = TextDiff::from_lines(expected, actual);
    let mut text = String::new();
    for operation in diff.grouped_ops(1).iter().flatten() {
        for change in diff.iter_changes(operation) {
            let line = change.value().trim_end_matches('\n');
            let end = if change.missing_newline() { " (no newline at the end)" } else { "" };
            let _ = writeln!(text, "    {}{line}{end}", change.tag());
        }
    }
    text
}

#[cfg(test)]
mod tests {
    #[test]
    fn shows_what_differs() {
        assert_eq!(super::lines("a\nb\n", "a\nb\n"), "");
        assert_eq!(
            super::lines("a\nb\nc\nd\n", "a\nx\nc\nd\n"),
            "     a\n    -b\n    +x\n     c\n"
        );
        assert_eq!(super::lines("a", "a\n"), "    -a (no newline at the end)\n    +a\n");
    }
}
