//! The values of constants: numbers, other names, the operators that headers use.

use std::collections::BTreeMap;

/// How far names may lead to other names.
const DEPTH: u32 = 8;

/// The value of the right-hand side of a definition; `None` if it is no number.
pub(super) fn evaluate(text: &str, known: &BTreeMap<&str, &str>) -> Option<i64> {
    value(text, known, DEPTH)
}

fn value(text: &str, known: &BTreeMap<&str, &str>, depth: u32) -> Option<i64> {
    let mut reader = Reader { rest: text, known, depth: depth.checked_sub(1)? };
    let value = reader.alternatives()?;
    reader.rest.trim().is_empty().then_some(value)
}

struct Reader<'a> {
    rest: &'a str,
    known: &'a BTreeMap<&'a str, &'a str>,
    depth: u32,
}

/// Casts that change nothing here.
const CASTS: [&str; 5] = ["(void *)", "(void*)", "(void (*)(int))", "(unsigned)", "(key_t)"];

impl Reader<'_> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn alternatives(&mut self) -> Option<i64> {
        let mut left = self.shift()?;
        while self.take("|") {
            left |= self.shift()?;
        }
        Some(left)
    }

    fn shift(&mut self) -> Option<i64> {
        let mut left = self.sum()?;
        while self.take("<<") {
            left = left.checked_shl(self.sum()?.try_into().ok()?)?;
        }
        Some(left)
    }

    fn sum(&mut self) -> Option<i64> {
        let mut left = self.unary()?;
        loop {
            if self.take("+") {
                left = left.wrapping_add(self.unary()?);
            } else if self.take("-") {
                left = left.wrapping_sub(self.unary()?);
            } else if self.take("&") {
                left &= self.unary()?;
            } else {
                return Some(left);
            }
        }
    }

    fn unary(&mut self) -> Option<i64> {
        if CASTS.iter().any(|cast| self.take(cast)) {
            return self.unary();
        }
        if self.take("~") {
            return Some(!self.unary()?);
        }
        if self.take("-") {
            return Some(self.unary()?.wrapping_neg());
        }
        if self.take("(") {
            let inner = self.alternatives()?;
            return self.take(")").then_some(inner);
        }
        self.word()
    }

    fn word(&mut self) -> Option<i64> {
        let rest = self.rest.trim_start();
        if let Some(quoted) = rest.strip_prefix('\'') {
            let character = quoted.chars().next().filter(char::is_ascii)?;
            self.rest = quoted[1..].strip_prefix('\'')?;
            return Some(character as i64);
        }
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        match word {
            "" => None,
            "_IO" | "_IOR" | "_IOW" | "_IOWR" => self.request(word),
            _ if word.starts_with(|first: char| first.is_ascii_digit()) => number(word),
            _ => value(self.known.get(word)?, self.known, self.depth),
        }
    }

    /// A number of `ioctl`, made of a direction, a size, a class and a number in it.
    fn request(&mut self, direction: &str) -> Option<i64> {
        let (rest, behind) = self.rest.strip_prefix('(')?.split_once(')')?;
        let known = self.known;
        let mut parts = rest.split(',').map(str::trim);
        let class = value(parts.next()?, known, self.depth)?;
        let number = value(parts.next()?, known, self.depth)?;
        let size = match parts.next() {
            None => 0,
            Some("char") => 1,
            Some("int" | "unsigned int") => 4,
            Some("size_t" | "long" | "unsigned long" | "char[8]") => 8,
            Some(_) => return None,
        };
        self.rest = behind;
        let direction = match direction {
            "_IO" => 0,
            "_IOW" => 1,
            "_IOR" => 2,
            _ => 3,
        };
        Some(direction << 30 | size << 16 | class << 8 | number)
    }
}

fn number(word: &str) -> Option<i64> {
    let digits = word.trim_end_matches(['u', 'U', 'l', 'L']);
    let parsed = match digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None if digits.len() > 1 && digits.starts_with('0') => u64::from_str_radix(digits, 8),
        None => digits.parse(),
    };
    parsed.ok().map(|value| value as i64)
}
