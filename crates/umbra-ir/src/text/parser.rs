//! Parsing: the program's items. The code of functions is in `operation`.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use super::lexer::{Placed, Token, tokens};
use super::names::type_of_word;
use crate::constant::{Constant, ConstantValue, Symbol};
use crate::id::{ConstantId, FileId, FunctionId, GlobalId, Id, LocationId};
use crate::instruction::ByValue;
use crate::location::{Identity, Location, SourceFile};
use crate::program::{
    Alias, BlockPlace, Global, Initializer, OldGlobal, Program, Relocation, Struct,
};
use crate::types::Type;

/// Where and why a text is not a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The line, from 1.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for ParseError {}

impl FromStr for Program {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<Self, ParseError> {
        parse(text)
    }
}

/// Reads a program in text form. The program is verified.
pub fn parse(text: &str) -> Result<Program, ParseError> {
    let tokens = tokens(text).map_err(|(line, message)| ParseError { line, message })?;
    let mut parser =
        Parser { tokens, at: 0, program: Program::default(), constant_ids: HashMap::new() };
    parser.constant_table()?;
    while !matches!(parser.peek(), Token::End) {
        parser.item()?;
    }
    let last = parser.tokens.last().map_or(1, |placed| placed.line);
    match parser.program.verify() {
        Ok(()) => Ok(parser.program),
        Err(errors) => Err(ParseError {
            line: last,
            message: errors.first().map_or(String::new(), ToString::to_string),
        }),
    }
}

/// The largest initialiser that a text may describe with few words.
const MAX_DATA: u64 = 1 << 30;

pub(super) struct Parser<'a> {
    tokens: Vec<Placed<'a>>,
    at: usize,
    pub(super) program: Program,
    constant_ids: HashMap<Constant, ConstantId>,
}

pub(super) type Parsed<T> = Result<T, ParseError>;

impl<'a> Parser<'a> {
    pub(super) fn peek(&self) -> &Token<'a> {
        // The last token is `End`, and `next` does not pass it.
        &self.tokens[self.at].token
    }

    pub(super) fn next(&mut self) -> Token<'a> {
        let token = self.peek().clone();
        if self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        token
    }

    /// An error about the token before the next one.
    pub(super) fn error<T>(&self, message: impl Into<String>) -> Parsed<T> {
        let line = self.tokens[self.at.saturating_sub(1)].line;
        Err(ParseError { line, message: message.into() })
    }

    fn unexpected<T>(&self, token: &Token<'_>, wanted: &str) -> Parsed<T> {
        let found = match token {
            Token::Word(text) | Token::Number(text) => format!("`{text}`"),
            Token::Text(_) => "a string".into(),
            Token::Name(name) => format!("`@{}`", String::from_utf8_lossy(name)),
            Token::Arrow => "`->`".into(),
            Token::Dots => "`...`".into(),
            Token::Mark(mark) => format!("`{mark}`"),
            Token::End => "the end".into(),
        };
        self.error(format!("expected {wanted}, found {found}"))
    }

    /// Takes the mark if it comes next.
    pub(super) fn accept(&mut self, mark: char) -> bool {
        let found = *self.peek() == Token::Mark(mark);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect(&mut self, mark: char) -> Parsed<()> {
        match self.next() {
            Token::Mark(found) if found == mark => Ok(()),
            token => self.unexpected(&token, &format!("`{mark}`")),
        }
    }

    /// Takes the word if it comes next.
    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let found = *self.peek() == Token::Word(word);
        if found {
            self.next();
        }
        found
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Parsed<()> {
        match self.next() {
            Token::Word(found) if found == word => Ok(()),
            token => self.unexpected(&token, &format!("`{word}`")),
        }
    }

    pub(super) fn word(&mut self, wanted: &str) -> Parsed<&'a str> {
        match self.next() {
            Token::Word(word) => Ok(word),
            token => self.unexpected(&token, wanted),
        }
    }

    pub(super) fn number<T: TryFrom<i128>>(&mut self) -> Parsed<T> {
        let token = self.next();
        let Token::Number(text) = token else {
            return self.unexpected(&token, "a number");
        };
        let number = match text.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        };
        match number.and_then(|number: i128| T::try_from(number).ok()) {
            Some(number) => Ok(number),
            None => self.error(format!("`{text}` is out of range")),
        }
    }

    fn utf8(&self, bytes: Vec<u8>) -> Parsed<String> {
        String::from_utf8(bytes).or_else(|_| self.error("a text that is not UTF-8"))
    }

    pub(super) fn string(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Text(bytes) => self.utf8(bytes),
            token => self.unexpected(&token, "a string"),
        }
    }

    pub(super) fn name(&mut self) -> Parsed<String> {
        match self.next() {
            Token::Name(bytes) => self.utf8(bytes),
            token => self.unexpected(&token, "a name"),
        }
    }

    /// An id: its prefix and a number.
    pub(super) fn id<K: Id>(&mut self, prefix: &str) -> Parsed<K> {
        let word = self.word(&format!("`{prefix}` and a number"))?;
        match id_number(word, prefix) {
            Some(number) => Ok(K::from_index(number)),
            None => self.error(format!("expected `{prefix}` and a number, found `{word}`")),
        }
    }

    /// The id of a thing that is being defined: the next one.
    pub(super) fn next_id<K: Id>(&mut self, prefix: &str, next: K) -> Parsed<()> {
        let found: K = self.id(prefix)?;
        if found == next {
            Ok(())
        } else {
            self.error(format!("expected {next:?}, found {found:?}"))
        }
    }

    /// Whether an id of this prefix comes next.
    pub(super) fn at_id(&self, prefix: &str) -> bool {
        matches!(self.peek(), Token::Word(word) if id_number(word, prefix).is_some())
    }

    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let word = self.word("a type")?;
        match type_of_word(word) {
            Some(ty) => Ok(ty),
            None => self.error(format!("`{word}` is no type")),
        }
    }

    /// Repeats with commas between.
    pub(super) fn commas<T>(
        &mut self,
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = vec![item(self)?];
        while self.accept(',') {
            items.push(item(self)?);
        }
        Ok(items)
    }

    /// In parentheses, with commas between.
    pub(super) fn list<T>(&mut self, item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        self.expect('(')?;
        if self.accept(')') {
            return Ok(Vec::new());
        }
        let items = self.commas(item)?;
        self.expect(')')?;
        Ok(items)
    }

    /// Reads the table of constants, which stands after its first uses but fixes their order.
    fn constant_table(&mut self) -> Parsed<()> {
        for at in 0..self.tokens.len() {
            let starts = |token: &Token<'_>, prefix| matches!(token, Token::Word(word) if id_number(word, prefix).is_some());
            if starts(&self.tokens[at].token, "c") {
                self.at = at;
                self.next_id("c", self.program.constants.next_id())?;
                let constant = self.value()?;
                let known = self.constant_ids.len();
                self.intern(constant);
                if self.constant_ids.len() == known {
                    return self.error("a constant that is in the table already");
                }
            }
        }
        self.at = 0;
        Ok(())
    }

    pub(super) fn intern(&mut self, constant: Constant) -> ConstantId {
        if let Some(&known) = self.constant_ids.get(&constant) {
            return known;
        }
        let id = self.program.constants.push(constant.clone());
        self.constant_ids.insert(constant, id);
        id
    }

    fn item(&mut self) -> Parsed<()> {
        if self.at_id("g") {
            self.global()
        } else if self.at_id("fn") {
            self.function()
        } else if self.at_id("c") {
            // Read already.
            self.next();
            self.value().map(|_| ())
        } else if self.at_id("file") {
            self.next_id("file", self.program.files.next_id())?;
            let (directory, name) = (self.string()?, self.string()?);
            self.program.files.push(SourceFile { directory, name });
            Ok(())
        } else if self.at_id("loc") {
            self.location()
        } else if self.at_id("struct") {
            self.next_id("struct", self.program.structs.next_id())?;
            let name = self.name()?;
            self.expect(':')?;
            let (size, offsets) = (self.number()?, self.list(Self::number)?);
            self.program.structs.push(Struct { name, size, offsets });
            Ok(())
        } else if self.accept_word("merged") {
            self.merged()
        } else if self.accept_word("alias") {
            let name = self.name()?;
            self.expect('=')?;
            let (symbol, offset) = self.symbol()?;
            self.program.aliases.push(Alias { name, symbol, offset });
            Ok(())
        } else if self.accept_word("constructors") {
            self.program.constructors = self.commas(|parser| parser.id("fn"))?;
            Ok(())
        } else if self.accept_word("destructors") {
            self.program.destructors = self.commas(|parser| parser.id("fn"))?;
            Ok(())
        } else {
            let token = self.next();
            self.unexpected(&token, "a global, a function, an alias or a table's entry")
        }
    }

    fn location(&mut self) -> Parsed<()> {
        self.next_id("loc", self.program.locations.next_id())?;
        let file: FileId = self.id("file")?;
        self.expect(':')?;
        let line = self.number()?;
        self.expect(':')?;
        let column = self.number()?;
        let function = self.name()?;
        let inlined = self.accept_word("inlined");
        let inlined_at: Option<LocationId> = inlined.then(|| self.id("loc")).transpose()?;
        self.program.locations.push(Location { file, line, column, function, inlined_at });
        Ok(())
    }

    /// Where the blocks of one of two programs are that were merged.
    fn merged(&mut self) -> Parsed<()> {
        let is_old = self.accept_word("old");
        if !is_old {
            self.expect_word("new")?;
        }
        let places = self.list(|parser| {
            let mut places = Vec::new();
            if parser.accept_word("none") {
                return Ok(places);
            }
            loop {
                let function = parser.id("fn")?;
                places.push(BlockPlace { function, block: parser.id("bb")? });
                if !parser.accept('+') {
                    return Ok(places);
                }
            }
        })?;
        let merged = self.program.merged.get_or_insert_default();
        *if is_old { &mut merged.old } else { &mut merged.new } = places;
        Ok(())
    }

    fn global(&mut self) -> Parsed<()> {
        self.next_id("g", self.program.globals.next_id())?;
        let name = self.name()?;
        self.expect(':')?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        let constant = self.accept_word("constant");
        let thread_local = self.accept_word("thread_local");
        let weak = self.accept_word("weak");
        let identity = self.identity()?;
        self.expect('=')?;
        let initializer = self.initializer()?;
        let old = if self.accept_word("old") { Some(Box::new(self.old_global()?)) } else { None };
        self.program.globals.push(Global {
            name,
            identity,
            size,
            align,
            constant,
            thread_local,
            weak,
            initializer,
            old,
        });
        Ok(())
    }

    fn old_global(&mut self) -> Parsed<OldGlobal> {
        let name = self.name()?;
        self.expect(':')?;
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        let constant = self.accept_word("constant");
        let identity = self.identity()?;
        self.expect('=')?;
        let initializer = self.initializer()?;
        Ok(OldGlobal { name, identity, size, align, constant, initializer })
    }

    fn initializer(&mut self) -> Parsed<Initializer> {
        if self.accept_word("external") {
            return Ok(Initializer::External);
        }
        if self.accept_word("unsupported") {
            return self.string().map(Initializer::Unsupported);
        }
        let mut bytes = Vec::new();
        loop {
            if self.accept_word("zero") {
                if !matches!(self.peek(), Token::Number(_)) {
                    return Ok(Initializer::Zero);
                }
                let count: u64 = self.number()?;
                if bytes.len() as u64 + count > MAX_DATA {
                    return self.error("a very large initialiser");
                }
                bytes.resize(bytes.len() + count as usize, 0);
            } else if let Token::Text(text) = self.peek() {
                bytes.extend_from_slice(text);
                self.next();
            } else {
                break;
            }
        }
        let mut relocations = Vec::new();
        if self.accept_word("with") {
            relocations = self.commas(|parser| {
                let offset = parser.number()?;
                parser.expect(':')?;
                let (symbol, addend) = parser.symbol()?;
                Ok(Relocation { offset, symbol, addend })
            })?;
        }
        Ok(Initializer::Data { bytes, relocations })
    }

    pub(super) fn identity(&mut self) -> Parsed<Option<Identity>> {
        if !self.accept_word("from") {
            return Ok(None);
        }
        let file = self.id("file")?;
        self.expect(':')?;
        let line = self.number()?;
        let name = self.name()?;
        let unit = if self.accept_word("unit") { self.id("file")? } else { file };
        let scope = if self.accept_word("in") { self.name()? } else { String::new() };
        let local = self.accept_word("local");
        Ok(Some(Identity { file, unit, line, scope, name, local }))
    }

    pub(super) fn by_value(&mut self) -> Parsed<Option<ByValue>> {
        if !self.accept_word("byval") {
            return Ok(None);
        }
        let size = self.number()?;
        self.expect_word("align")?;
        let align = self.number()?;
        Ok(Some(ByValue { size, align }))
    }

    /// A typed constant.
    pub(super) fn value(&mut self) -> Parsed<Constant> {
        let ty = self.ty()?;
        let value = if self.accept_word("undef") {
            ConstantValue::Undefined
        } else if self.at_id("fn") || self.at_id("g") {
            let (symbol, offset) = self.symbol()?;
            ConstantValue::Address { symbol, offset }
        } else {
            self.bits(ty)?
        };
        Ok(Constant { ty, value })
    }

    /// A number of the width of a type.
    fn bits(&mut self, ty: Type) -> Parsed<ConstantValue> {
        let wide = ty.bits() > 64;
        if let (true, Token::Number(text)) = (wide, self.peek())
            && let Some(digits) = text.strip_prefix("0x")
        {
            let words = wide_number(digits, ty.words());
            self.next();
            return match words {
                Some(words) => Ok(ConstantValue::Words(words)),
                None => self.error("a number that does not fit its type"),
            };
        }
        let number: i128 = self.number()?;
        let bits = ty.bits().min(64);
        let fits = (-(1i128 << (bits - 1))..1i128 << bits).contains(&number);
        if !fits {
            return self.error(format!("`{number}` does not fit {ty}"));
        }
        if wide {
            // A short form for small numbers; negative ones fill the upper words with ones.
            let mut words = vec![if number < 0 { u64::MAX } else { 0 }; ty.words()];
            words[0] = number as u64;
            let spare = ty.words() as u32 * 64 - ty.bits();
            if let Some(last) = words.last_mut() {
                *last &= u64::MAX >> spare;
            }
            return Ok(ConstantValue::Words(words.into()));
        }
        Ok(ConstantValue::Word(number as u64 & (u64::MAX >> (64 - bits))))
    }

    pub(super) fn symbol(&mut self) -> Parsed<(Symbol, i64)> {
        let symbol = if self.at_id("fn") {
            Symbol::Function(self.id::<FunctionId>("fn")?)
        } else {
            Symbol::Global(self.id::<GlobalId>("g")?)
        };
        self.skip_name();
        let offset = if self.accept('+')
            || matches!(self.peek(), Token::Number(text) if text.starts_with('-'))
        {
            self.number()?
        } else {
            0
        };
        Ok((symbol, offset))
    }

    /// Skips the name that stands beside an id for the reader.
    pub(super) fn skip_name(&mut self) {
        if matches!(self.peek(), Token::Name(_)) {
            self.next();
        }
    }
}

/// The number of an id such as `bb12`.
fn id_number(word: &str, prefix: &str) -> Option<usize> {
    let digits = word.strip_prefix(prefix)?;
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u32>().ok().map(|number| number as usize)
}

/// Hexadecimal digits as words, least significant first.
fn wide_number(digits: &str, count: usize) -> Option<Box<[u64]>> {
    let mut words = vec![0u64; count];
    let mut rest = digits;
    for word in &mut words {
        let split = rest.len().saturating_sub(16);
        let (upper, lower) = rest.split_at_checked(split)?;
        if !lower.is_empty() {
            *word = u64::from_str_radix(lower, 16).ok()?;
        }
        rest = upper;
    }
    rest.bytes().all(|byte| byte == b'0').then(|| words.into())
}
