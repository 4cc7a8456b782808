//! Tokens of the text form.

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A word: keyword, id, type, name of an operation.
    Word(&'a str),
    /// A number as it is written.
    Number(&'a str),
    /// A string in quotes: its bytes.
    Text(Vec<u8>),
    /// A name after `@`: its bytes.
    Name(Vec<u8>),
    /// `->`.
    Arrow,
    /// `...`.
    Dots,
    /// Any other character.
    Mark(char),
    /// The end of the text.
    End,
}

/// A token and the line it starts on.
pub(super) struct Placed<'a> {
    pub(super) token: Token<'a>,
    pub(super) line: usize,
}

/// Whether a byte can be part of a name without quotes.
pub(super) fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'$')
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.')
}

/// Splits a text into tokens; the error is a line and a message.
pub(super) fn tokens(text: &str) -> Result<Vec<Placed<'_>>, (usize, String)> {
    let mut lexer = Lexer { text, at: 0, line: 1 };
    let mut tokens = Vec::new();
    loop {
        lexer.skip_space();
        let line = lexer.line;
        let token = lexer.token().map_err(|message| (line, message))?;
        let end = token == Token::End;
        tokens.push(Placed { token, line });
        if end {
            return Ok(tokens);
        }
    }
}

struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Lexer<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.at += 1;
                }
                b';' => self.take_while(|byte| byte != b'\n').map_or((), |_| ()),
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => return,
            }
        }
    }

    /// Takes bytes as long as they are wanted; `None` if they end within a character.
    fn take_while(&mut self, wanted: impl Fn(u8) -> bool) -> Option<&'a str> {
        let start = self.at;
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
        self.text.get(start..self.at)
    }

    fn token(&mut self) -> Result<Token<'a>, String> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest {
            [] => Ok(Token::End),
            [b'"', ..] => self.string().map(Token::Text),
            [b'@', b'"', ..] => {
                self.at += 1;
                self.string().map(Token::Name)
            }
            [b'@', ..] => {
                self.at += 1;
                let name = self.take_while(is_name_byte).unwrap_or_default();
                Ok(Token::Name(name.as_bytes().to_vec()))
            }
            [b'-', b'>', ..] => {
                self.at += 2;
                Ok(Token::Arrow)
            }
            [b'.', b'.', b'.', ..] => {
                self.at += 3;
                Ok(Token::Dots)
            }
            [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..] => {
                let start = self.at;
                self.at += 1;
                self.take_while(|byte| byte.is_ascii_alphanumeric());
                Ok(Token::Number(&self.text[start..self.at]))
            }
            [byte, ..] if byte.is_ascii_alphabetic() || *byte == b'_' => {
                Ok(Token::Word(self.take_while(is_word_byte).unwrap_or_default()))
            }
            _ => {
                let mark = self.text.get(self.at..).and_then(|rest| rest.chars().next());
                let mark = mark.ok_or("a broken character")?;
                self.at += mark.len_utf8();
                Ok(Token::Mark(mark))
            }
        }
    }

    fn string(&mut self) -> Result<Vec<u8>, String> {
        self.at += 1;
        let mut bytes = Vec::new();
        loop {
            match self.peek() {
                None => return Err("a string without end".into()),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(bytes);
                }
                Some(b'\\') => {
                    let digits = self.text.get(self.at + 1..self.at + 3);
                    let byte = digits.and_then(|digits| u8::from_str_radix(digits, 16).ok());
                    bytes.push(byte.ok_or("`\\` without two hexadecimal digits")?);
                    self.at += 3;
                }
                Some(byte) => {
                    self.line += usize::from(byte == b'\n');
                    bytes.push(byte);
                    self.at += 1;
                }
            }
        }
    }
}
