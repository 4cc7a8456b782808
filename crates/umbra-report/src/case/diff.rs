//! What was changed from one case to another.

use std::collections::BTreeSet;
use std::fmt;

use umbra_case::{Case, Descriptor, Entry, EntryKind};

use super::{paint, shown};
use crate::Colour;

/// Columns of a line that is shown, around what differs in it.
const COLUMNS: usize = 100;

/// What differs between a seed and a case made from it; its `Display` has a line for each part that
/// was left out and one for each that came in. Nothing if they are the same.
pub struct CaseDiff<'a> {
    /// The case before.
    pub seed: &'a Case,
    /// The case after.
    pub case: &'a Case,
    /// Whether the text is coloured.
    pub colour: Colour,
}

impl fmt::Display for CaseDiff<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (seed, case) = (self.seed, self.case);
        self.part(f, "program", Some(&seed.program), Some(&case.program))?;
        for index in 0..seed.arguments.len().max(case.arguments.len()) {
            let of = |case: &'_ Case| case.arguments.get(index).cloned();
            let name = format!("argument {}", index + 1);
            self.part(f, &name, of(seed).as_deref(), of(case).as_deref())?;
        }
        self.variables(f)?;
        self.part(f, "root", Some(seed.root()), Some(case.root()))?;
        self.part(f, "directory", Some(&seed.directory), Some(&case.directory))?;
        self.part(f, "stdin", seed.stdin.bytes(), case.stdin.bytes())?;
        self.descriptors(f)?;
        self.tree(f)?;
        self.rest(f)
    }
}

impl CaseDiff<'_> {
    fn part(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: &str,
        old: Option<&[u8]>,
        new: Option<&[u8]>,
    ) -> fmt::Result {
        if old == new {
            return Ok(());
        }
        writeln!(f, "{}", paint(self.colour, "1", name))?;
        let is_text = |bytes: Option<&[u8]>| bytes.is_none_or(|bytes| bytes.contains(&b'\n'));
        match (old, new) {
            (Some(old), Some(new)) if is_text(Some(old)) || is_text(Some(new)) => {
                self.lines(f, old, new)
            }
            (Some(old), Some(new)) => self.pair(f, old, new),
            (old, new) => {
                old.map_or(Ok(()), |bytes| self.line(f, "-", "31", &shown(bytes)))?;
                new.map_or(Ok(()), |bytes| self.line(f, "+", "32", &shown(bytes)))
            }
        }
    }

    /// Two texts: what is the same at both ends is left out, the rest is paired line by line.
    fn lines(&self, f: &mut fmt::Formatter<'_>, old: &[u8], new: &[u8]) -> fmt::Result {
        let split = |text: &[u8]| -> Vec<Vec<u8>> {
            text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect()
        };
        let (old, new) = (split(old), split(new));
        let same = |(one, other): &(&Vec<u8>, &Vec<u8>)| one == other;
        let start = old.iter().zip(&new).take_while(same).count();
        let (old, new) = (&old[start..], &new[start..]);
        let end = old.iter().rev().zip(new.iter().rev()).take_while(same).count();
        let (old, new) = (&old[..old.len() - end], &new[..new.len() - end]);
        writeln!(f, "  line {}", start + 1)?;
        for index in 0..old.len().max(new.len()) {
            match (old.get(index), new.get(index)) {
                (Some(old), Some(new)) if old == new => {}
                (Some(old), Some(new)) => self.pair(f, old, new)?,
                (Some(old), None) => self.line(f, "-", "31", &shown(old))?,
                (None, Some(new)) => self.line(f, "+", "32", &shown(new))?,
                (None, None) => {}
            }
        }
        Ok(())
    }

    /// Two strings, with what differs in each marked.
    fn pair(&self, f: &mut fmt::Formatter<'_>, old: &[u8], new: &[u8]) -> fmt::Result {
        let start = old.iter().zip(new).take_while(|(one, other)| one == other).count();
        let most = old.len().min(new.len()) - start;
        let both = old.iter().rev().zip(new.iter().rev());
        let end = both.take(most).take_while(|(one, other)| one == other).count();
        for (sign, code, bytes) in [("-", "31", old), ("+", "32", new)] {
            let (before, rest) = bytes.split_at(start);
            let (middle, after) = rest.split_at(rest.len() - end);
            let before = &before[before.len().saturating_sub(COLUMNS / 2)..];
            let after = &after[..after.len().min(COLUMNS / 2)];
            // A mark that shows without colours, too.
            let middle = match self.colour {
                Colour::Ansi => paint(self.colour, &format!("{code};7"), &shown(middle)),
                Colour::Plain => format!("[{}]", shown(middle)),
            };
            let text = format!("{}{middle}{}", shown(before), shown(after));
            writeln!(f, "  {} {text}", paint(self.colour, code, sign))?;
        }
        Ok(())
    }

    fn line(&self, f: &mut fmt::Formatter<'_>, sign: &str, code: &str, text: &str) -> fmt::Result {
        let short: String = text.chars().take(COLUMNS).collect();
        let more = if short.len() < text.len() { "..." } else { "" };
        writeln!(f, "  {}", paint(self.colour, code, &format!("{sign} {short}{more}")))
    }

    fn variables(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (old, new) = (&self.seed.environment, &self.case.environment);
        for gone in old.iter().filter(|variable| !new.contains(variable)) {
            self.part(f, "variable", Some(gone), None)?;
        }
        for come in new.iter().filter(|variable| !old.contains(variable)) {
            self.part(f, "variable", None, Some(come))?;
        }
        Ok(())
    }

    fn descriptors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (old, new) = (&self.seed.descriptors, &self.case.descriptors);
        let numbers: BTreeSet<&u32> = old.keys().chain(new.keys()).collect();
        for number in numbers {
            let name = format!("descriptor {number}");
            match (old.get(number), new.get(number)) {
                (Some(Descriptor::Pipe(old)), Some(Descriptor::Pipe(new))) => {
                    self.part(f, &name, Some(old), Some(new))?;
                }
                (old, new) => {
                    let text = |descriptor: Option<&Descriptor>| {
                        descriptor.map(|descriptor| format!("{descriptor:?}").into_bytes())
                    };
                    self.part(f, &name, text(old).as_deref(), text(new).as_deref())?;
                }
            }
        }
        Ok(())
    }

    fn tree(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let find = |case: &'_ Case, path: &[u8]| {
            case.tree.iter().find(|entry| entry.path == path).cloned()
        };
        let both = self.seed.tree.iter().chain(&self.case.tree);
        let paths: BTreeSet<&[u8]> = both.map(|entry| &*entry.path).collect();
        for path in paths {
            let (old, new) = (find(self.seed, path), find(self.case, path));
            let name = format!("file {}", shown(path));
            match (&old, &new) {
                (
                    Some(Entry { kind: EntryKind::File(one), .. }),
                    Some(Entry { kind: EntryKind::File(other), .. }),
                ) if one != other => self.part(f, &name, Some(one), Some(other))?,
                _ => {}
            }
            let attributes = |entry: &Option<Entry>| {
                entry.as_ref().map(|entry| {
                    let kind = match &entry.kind {
                        EntryKind::File(_) => "file".to_owned(),
                        EntryKind::Directory => "folder".to_owned(),
                        EntryKind::Symlink(target) => format!("link to {}", shown(target)),
                        EntryKind::Fifo => "fifo".to_owned(),
                    };
                    let time = entry.modified.map_or(String::new(), |time| format!(" {time}"));
                    format!("{kind} {:04o}{time}", entry.mode).into_bytes()
                })
            };
            self.part(f, &name, attributes(&old).as_deref(), attributes(&new).as_deref())?;
        }
        Ok(())
    }

    fn rest(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [old, new] = [self.seed, self.case].map(|case| format!("{:?}", case.settings));
        self.part(f, "settings", Some(old.as_bytes()), Some(new.as_bytes()))?;
        for (index, object) in self.case.objects.iter().enumerate() {
            let old = self.seed.objects.get(index).map(|object| &*object.bytes);
            let name = format!("object {}", shown(&object.name));
            self.part(f, &name, old, Some(&object.bytes))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Stdin;

    use super::*;

    fn diff(seed: &Case, case: &Case) -> String {
        CaseDiff { seed, case, colour: Colour::Plain }.to_string()
    }

    #[test]
    fn what_was_changed_is_marked() {
        let seed = Case {
            arguments: vec![b"-f1".to_vec(), b"in".to_vec()],
            stdin: Stdin::Pipe(b"a\nhello world\nz\n".to_vec()),
            tree: vec![Entry::file("in", "x:y"), Entry::file("gone", "1")],
            ..Case::default()
        };
        let case = Case {
            arguments: vec![b"-f2".to_vec(), b"in".to_vec(), b"more".to_vec()],
            stdin: Stdin::Pipe(b"a\nhello\xffworld\nz\n".to_vec()),
            tree: vec![Entry { mode: 0o600, ..Entry::file("in", "x::y") }],
            ..Case::default()
        };
        assert_eq!(diff(&seed, &seed), "");
        let expected = "argument 1\n  - -f[1]\n  + -f[2]\n\
            argument 3\n  + more\n\
            stdin\n  line 2\n  - hello[ ]world\\n\n  + hello[\\xff]world\\n\n\
            file gone\n  - file 0644\n\
            file in\n  - x:[]y\n  + x:[:]y\n\
            file in\n  - file 06[44]\n  + file 06[00]\n";
        assert_eq!(diff(&seed, &case), expected);
    }

    #[test]
    fn colours_show_what_changed() {
        let seed = Case { arguments: vec![b"ab".to_vec()], ..Case::default() };
        let case = Case { arguments: vec![b"ac".to_vec()], ..Case::default() };
        let text = CaseDiff { seed: &seed, case: &case, colour: Colour::Ansi }.to_string();
        assert!(text.contains("a\x1b[31;7mb\x1b[0m") && text.contains("a\x1b[32;7mc\x1b[0m"));
    }
}
