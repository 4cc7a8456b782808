//! One test case on a page.

use std::fmt;

use umbra_case::{Case, Descriptor, Entry, EntryKind, Stdin};
use umbra_text::Show;
use umbra_words::End;

use super::{command, paint, shown, word};
use crate::Colour;

/// Lines of a content that are shown, and columns of each.
const LINES: usize = 12;
const COLUMNS: usize = 100;

/// A case as a text; its `Display` is the text, which ends in a newline.
pub struct CaseText<'a> {
    /// The case.
    pub case: &'a Case,
    /// Whether the text is coloured.
    pub colour: Colour,
}

impl fmt::Display for CaseText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let case = self.case;
        writeln!(f, "{} {}", self.title("case"), case.id().short())?;
        writeln!(f, "{} {}", self.title("command"), command(case))?;
        for variable in &case.environment {
            writeln!(f, "{} {}", self.title("variable"), word(variable))?;
        }
        if case.root.is_some() || !case.directory.is_empty() {
            writeln!(f, "{} {}", self.title("directory"), shown(&case.working_directory()))?;
        }
        self.stdin(f)?;
        for (number, descriptor) in &case.descriptors {
            self.descriptor(f, *number, descriptor)?;
        }
        let mut tree: Vec<&Entry> = case.tree.iter().collect();
        tree.sort_by(|one, other| one.path.cmp(&other.path));
        tree.into_iter().try_for_each(|entry| self.entry(f, entry))?;
        for object in &case.objects {
            let name = shown(&object.name);
            writeln!(f, "{} {name} = {}", self.title("object"), object.bytes.escape_ascii())?;
        }
        self.expected(f)?;
        for (name, value) in &case.origin {
            writeln!(f, "{} {}: {}", self.title("origin"), name.shown(), value.shown())?;
        }
        Ok(())
    }
}

impl CaseText<'_> {
    fn title(&self, text: &str) -> String {
        paint(self.colour, "1", &format!("{text:<10}"))
    }

    fn stdin(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match &self.case.stdin {
            Stdin::Null => return Ok(()),
            Stdin::Closed => "closed",
            Stdin::Pipe(_) => "a pipe",
            Stdin::File(_) => "a file",
        };
        writeln!(f, "{} {kind}", self.title("stdin"))?;
        self.content(f, self.case.stdin.bytes().unwrap_or_default())
    }

    fn descriptor(
        &self,
        f: &mut fmt::Formatter<'_>,
        number: u32,
        descriptor: &Descriptor,
    ) -> fmt::Result {
        let title = self.title(&format!("fd {number}"));
        match descriptor {
            Descriptor::Closed => writeln!(f, "{title} closed"),
            Descriptor::Null => writeln!(f, "{title} /dev/null"),
            Descriptor::Terminal => writeln!(f, "{title} a terminal"),
            Descriptor::Device { device, .. } => writeln!(f, "{title} {}", device.path()),
            Descriptor::Same(other) => writeln!(f, "{title} the same as {other}"),
            Descriptor::File { path, offset, append, .. } => {
                let append = if *append { ", appending" } else { "" };
                writeln!(f, "{title} {} from byte {offset}{append}", shown(path))
            }
            Descriptor::Pipe(bytes) => {
                writeln!(f, "{title} a pipe")?;
                self.content(f, bytes)
            }
        }
    }

    fn entry(&self, f: &mut fmt::Formatter<'_>, entry: &Entry) -> fmt::Result {
        let (path, mode) = (shown(&entry.path), entry.mode);
        let time = entry.modified.map_or(String::new(), |time| format!(", time {time}"));
        match &entry.kind {
            EntryKind::File(content) => {
                let length = content.len();
                writeln!(f, "{} {path} ({length} bytes, {mode:04o}{time})", self.title("file"))?;
                self.content(f, content)
            }
            EntryKind::Directory => {
                writeln!(f, "{} {path} ({mode:04o}{time})", self.title("folder"))
            }
            EntryKind::Symlink(target) => {
                writeln!(f, "{} {path} -> {}", self.title("link"), shown(target))
            }
            EntryKind::Fifo => writeln!(f, "{} {path} ({mode:04o}{time})", self.title("fifo")),
        }
    }

    /// The first lines of a content, indented.
    fn content(&self, f: &mut fmt::Formatter<'_>, bytes: &[u8]) -> fmt::Result {
        let mut lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for line in lines.by_ref().take(LINES) {
            let text: String = shown(line.strip_suffix(b"\n").unwrap_or(line));
            let short: String = text.chars().take(COLUMNS).collect();
            let more = if short.len() < text.len() { "..." } else { "" };
            writeln!(f, "  | {short}{more}")?;
        }
        match lines.count() {
            0 => Ok(()),
            more => writeln!(f, "  ({more} more lines)"),
        }
    }

    fn expected(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expected = &self.case.expected;
        let title = self.title("expected");
        match &expected.end {
            None => {}
            Some(End::Exited(status)) => writeln!(f, "{title} exit status {status}")?,
            Some(End::Killed(signal)) => writeln!(f, "{title} signal {signal}")?,
            Some(end @ (End::Hung | End::OverLimit(_))) => writeln!(f, "{title} {end}")?,
            Some(End::Cut { reason }) => writeln!(f, "{title} unknown: {}", reason.shown())?,
            Some(End::Error(error)) => {
                let (kind, file) = (error.kind.shown(), error.place.file.shown());
                writeln!(f, "{title} {kind} at {file}:{}", error.place.line)?;
            }
        }
        let files =
            [("stdout", &expected.stdout), ("stderr", &expected.stderr), ("tree", &expected.tree)];
        for (name, bytes) in files {
            if let Some(bytes) = bytes.as_deref().filter(|bytes| !bytes.is_empty()) {
                writeln!(f, "{} {name}", self.title("expected"))?;
                self.content(f, bytes)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_what_there_is() {
        let case = Case {
            program: b"cut".to_vec(),
            arguments: vec![b"-f1".to_vec(), b"in".to_vec()],
            stdin: Stdin::Pipe(b"one\ntwo\n".to_vec()),
            tree: vec![Entry::file("in", "x".repeat(200)), Entry::symlink("l", "in")],
            ..Case::default()
        };
        let text = CaseText { case: &case, colour: Colour::Plain }.to_string();
        let lines: Vec<&str> = text.lines().skip(1).collect();
        let long = format!("  | {}...", "x".repeat(100));
        assert_eq!(
            lines,
            [
                "command    cut -f1 in",
                "stdin      a pipe",
                "  | one",
                "  | two",
                "file       in (200 bytes, 0644)",
                &long,
                "link       l -> in",
            ]
        );
    }
}
