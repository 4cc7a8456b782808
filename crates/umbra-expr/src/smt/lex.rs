//! Text to s-expressions.

use super::SmtError;

/// A list or an atom, with the line it starts on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sexp {
    pub line: u32,
    pub node: Node,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// A symbol, keyword, numeral or literal, without quotes.
    Atom(String),
    String(String),
    List(Vec<Sexp>),
}

impl Sexp {
    pub fn atom(&self) -> Option<&str> {
        match &self.node {
            Node::Atom(text) => Some(text),
            _ => None,
        }
    }

    pub fn list(&self) -> Option<&[Sexp]> {
        match &self.node {
            Node::List(items) => Some(items),
            _ => None,
        }
    }

    pub fn number(&self) -> Option<u32> {
        self.atom()?.parse().ok()
    }
}

impl Drop for Sexp {
    /// Deep lists are taken apart without recursion.
    fn drop(&mut self) {
        let Node::List(items) = &mut self.node else { return };
        let mut stack = std::mem::take(items);
        while let Some(mut item) = stack.pop() {
            if let Node::List(items) = &mut item.node {
                stack.append(items);
            }
        }
    }
}

/// All s-expressions of a text.
pub(super) fn read(text: &str) -> Result<Vec<Sexp>, SmtError> {
    let bytes = text.as_bytes();
    let mut line = 1;
    let mut place = 0;
    // Open lists with the lines they start on; the first is the whole text.
    let mut open: Vec<(u32, Vec<Sexp>)> = vec![(1, Vec::new())];
    while place < bytes.len() {
        let start = place;
        let start_line = line;
        let node = match bytes[place] {
            b'\n' => {
                line += 1;
                place += 1;
                continue;
            }
            byte if byte.is_ascii_whitespace() => {
                place += 1;
                continue;
            }
            b';' => {
                while place < bytes.len() && bytes[place] != b'\n' {
                    place += 1;
                }
                continue;
            }
            b'(' => {
                open.push((line, Vec::new()));
                place += 1;
                continue;
            }
            b')' => {
                place += 1;
                match open.pop() {
                    Some((start_line, items)) if !open.is_empty() => {
                        let item = Sexp { line: start_line, node: Node::List(items) };
                        if let Some((_, outer)) = open.last_mut() {
                            outer.push(item);
                        }
                        continue;
                    }
                    _ => return Err(SmtError::Unbalanced { line }),
                }
            }
            quote @ (b'|' | b'"') => {
                place += 1;
                while place < bytes.len() && bytes[place] != quote {
                    line += u32::from(bytes[place] == b'\n');
                    place += 1;
                }
                if place == bytes.len() {
                    return Err(SmtError::Unterminated { line: start_line });
                }
                let content = text[start + 1..place].to_owned();
                place += 1;
                if quote == b'"' { Node::String(content) } else { Node::Atom(content) }
            }
            _ => {
                let ends = |byte: u8| byte.is_ascii_whitespace() || b"();\"|".contains(&byte);
                while place < bytes.len() && !ends(bytes[place]) {
                    place += 1;
                }
                Node::Atom(text[start..place].to_owned())
            }
        };
        if let Some((_, items)) = open.last_mut() {
            items.push(Sexp { line: start_line, node });
        }
    }
    match open.pop() {
        Some((_, items)) if open.is_empty() => Ok(items),
        Some((line, _)) => Err(SmtError::Unterminated { line }),
        None => Ok(Vec::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_quoted_symbols() {
        let items = read("; no\n(a |b c| \"d)\" (e))").unwrap();
        let list = items[0].list().unwrap();
        assert_eq!((items.len(), items[0].line, list.len()), (1, 2, 4));
        assert_eq!(list[1].atom(), Some("b c"));
        assert_eq!(list[2].node, Node::String("d)".into()));
    }

    #[test]
    fn unbalanced_text_names_the_line() {
        assert_eq!(read("(a\n(b)"), Err(SmtError::Unterminated { line: 1 }));
        assert_eq!(read("a\n)"), Err(SmtError::Unbalanced { line: 2 }));
        assert_eq!(read("\"a"), Err(SmtError::Unterminated { line: 1 }));
    }

    #[test]
    fn deep_lists_need_no_stack() {
        let text = "(".repeat(200_000) + &")".repeat(200_000);
        assert_eq!(read(&text).unwrap().len(), 1);
    }
}
