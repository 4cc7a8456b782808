//! A case as one line that somebody can paste into a shell.
//!
//! It has the arguments and standard input. A case that needs more, such as files, has its script.

use crate::shell::{self, format};
use crate::{Case, Descriptor, EntryKind, Stdin};

/// Longer lines are not for people.
const MOST: usize = 300;

impl Case {
    /// The line that runs the program, a word for a shell, on the arguments and the standard input of this case. `None` if it
    /// needs more than these, or if the line would be too long. Of the environment nothing is said.
    pub fn shell_line(&self, program: &str) -> Option<String> {
        let (before, after) = self.feed()?;
        let mut line = format!("{before}{program}");
        for argument in &self.arguments {
            line += " ";
            line += &shell::argument(argument)?;
        }
        line += after;
        (line.len() <= MOST).then_some(line)
    }

    /// What stands before and behind the program for its standard input.
    fn feed(&self) -> Option<(String, &'static str)> {
        let is_simple = self.objects.is_empty()
            && self.call.is_none()
            && self.descriptors.keys().all(|number| *number == 0)
            && self.settings.limits.is_empty();
        if !is_simple {
            return None;
        }
        let mut files = self.tree.iter().filter(|entry| entry.kind != EntryKind::Directory);
        let bytes: &[u8] = match (self.descriptors.get(&0), &self.stdin) {
            (Some(Descriptor::File { path, offset: 0, .. }), _) => {
                match files.next().map(|file| (&file.path, &file.kind)) {
                    Some((name, EntryKind::File(content))) if name == path => content,
                    _ => return None,
                }
            }
            (Some(Descriptor::Pipe(bytes)), _) => bytes,
            (Some(Descriptor::Null), _) => b"",
            (Some(_), _) => return None,
            (None, Stdin::Closed) => return Some((String::new(), " <&-")),
            (None, stdin) => stdin.bytes().unwrap_or_default(),
        };
        if files.next().is_some() {
            return None;
        }
        Some(match bytes {
            [] => (String::new(), " </dev/null"),
            bytes => (format!("printf '{}' | ", format(bytes)), ""),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Access, Entry};

    fn line(case: &Case) -> Option<String> {
        case.shell_line("./bars")
    }

    #[test]
    fn arguments_and_standard_input_fit_into_a_line() {
        let arguments = vec![b"-w".to_vec(), b"a b".to_vec(), b"".to_vec(), b"\xff\n1".to_vec()];
        let case = Case { arguments, ..Case::default() };
        let expected = r#"./bars -w 'a b' '' "$(printf '\377\n1')" </dev/null"#;
        assert_eq!(line(&case).as_deref(), Some(expected));
        for (stdin, expected) in [
            (Stdin::Pipe(b"a 1\n100%\n".to_vec()), r"printf 'a 1\n100\045\n' | ./bars"),
            (Stdin::File(b"".to_vec()), "./bars </dev/null"),
            (Stdin::Closed, "./bars <&-"),
        ] {
            let case = Case { stdin, ..Case::default() };
            assert_eq!(line(&case).as_deref(), Some(expected));
        }
    }

    #[test]
    fn a_file_that_is_standard_input_needs_no_file() {
        let path = b"tests/a.in".to_vec();
        let file = Descriptor::File { path, offset: 0, access: Access::Read, append: false };
        let tree = vec![Entry::directory("tests"), Entry::file("tests/a.in", "a 1")];
        let case = Case { tree, descriptors: [(0, file)].into(), ..Case::default() };
        assert_eq!(line(&case).as_deref(), Some("printf 'a 1' | ./bars"));
        let mut more = case.clone();
        more.tree.push(Entry::file("other", ""));
        assert_eq!(line(&more), None);
    }

    #[test]
    fn what_a_line_cannot_say_has_none() {
        let ends_with_newline = Case { arguments: vec![b"a\n".to_vec()], ..Case::default() };
        assert_eq!(line(&ends_with_newline), None);
        let long = Case { stdin: Stdin::Pipe(vec![b'a'; 400]), ..Case::default() };
        assert_eq!(line(&long), None);
    }
}
