//! What functions and globals are called, whatever the linker made of their names.
//!
//! A symbol that is visible in the whole program has its name; a local one the unit, file and scope
//! that its text is in. Constants without a name (strings, tables of switches) are what they contain; inside them,
//! the folders that the versions were built in, dates of compilation and the number of the version mean nothing.

use std::collections::HashMap;

use umbra_ir::{
    FileId, Function, FunctionId, Global, GlobalId, Identity, Initializer, Program, Symbol,
};

use crate::correspondence::Noise;
use crate::normal::{hash, normal_form};
use crate::number::Number;

/// Constants that point to constants, and so on, are looked into this deep.
const DEPTH: u32 = 8;

/// What a symbol is called.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Visible everywhere.
    Link(String),
    /// Visible in a file or function only; files as numbers that both programs share.
    Local { unit: u32, file: u32, scope: String, name: String },
    /// A constant without a name: a hash of its contents.
    Content(u64),
}

impl Key {
    /// The same without the translation unit: copies of a header's function have one.
    pub fn without_unit(&self) -> Self {
        match self {
            Self::Local { file, scope, name, .. } => {
                Self::Local { unit: 0, file: *file, scope: scope.clone(), name: name.clone() }
            }
            other => other.clone(),
        }
    }

    /// The name and its scope, if it has a name.
    pub fn name(&self) -> Option<(&str, &str)> {
        match self {
            Self::Link(name) => Some(("", name)),
            Self::Local { scope, name, .. } => Some((scope, name)),
            Self::Content(_) => None,
        }
    }
}

/// What means nothing in the strings of a program.
pub struct Noisy<'a> {
    /// The first of each pair is taken for the second: folders and names of files.
    pub replacements: &'a [(String, String)],
    /// The number of its version.
    pub number: Option<Number<'a>>,
}

/// The keys of one program.
pub struct Keys<'a> {
    pub program: &'a Program,
    /// Of each function, in order.
    pub functions: Vec<Key>,
    /// Of each global, in order.
    pub globals: Vec<Key>,
    /// Strings in which noise was found.
    pub noise: HashMap<GlobalId, Noise>,
}

impl<'a> Keys<'a> {
    /// The keys of a program. `file` numbers its files.
    pub fn new(program: &'a Program, file: &dyn Fn(FileId) -> u32, noisy: &Noisy<'_>) -> Self {
        let functions = program.functions.values().map(|f| function_key(f, file)).collect();
        let mut keys = Self { program, functions, globals: Vec::new(), noise: HashMap::new() };
        let named = |global: &Global| global_key(global, file);
        let mut globals: Vec<Option<Key>> = program.globals.values().map(named).collect();
        for (id, _) in program.globals.iter().filter(|(_, global)| is_anonymous(global)) {
            use umbra_ir::Id;
            let mut noise = None;
            let content = keys.content(id, &globals, noisy, DEPTH, &mut noise);
            keys.noise.extend(noise.map(|noise| (id, noise)));
            globals[id.index()] = Some(Key::Content(content));
        }
        keys.globals = globals.into_iter().flatten().collect();
        keys
    }

    /// A word that stands for a symbol.
    pub fn token(&self, symbol: Symbol) -> u64 {
        use umbra_ir::Id;
        match symbol {
            Symbol::Function(id) => hash(&("function", self.functions[id.index()].without_unit())),
            Symbol::Global(id) => hash(&("global", self.globals[id.index()].without_unit())),
        }
    }

    /// A hash of what a function does, symbols being their keys.
    pub fn function_hash(&self, id: FunctionId) -> u64 {
        let token = |symbol| self.token(symbol);
        hash(&normal_form(self.program, &self.program.functions[id], &token))
    }

    fn content(
        &self,
        id: GlobalId,
        globals: &[Option<Key>],
        noisy: &Noisy<'_>,
        depth: u32,
        noise: &mut Option<Noise>,
    ) -> u64 {
        use umbra_ir::Id;
        let global = &self.program.globals[id];
        let zeros;
        let (bytes, relocations) = match &global.initializer {
            Initializer::Data { bytes, relocations } => (bytes.as_slice(), relocations.as_slice()),
            // The empty string is a literal like any other.
            Initializer::Zero if global.size <= 4096 => {
                zeros = vec![0; global.size as usize];
                (zeros.as_slice(), [].as_slice())
            }
            other => return hash(&(global.size, format!("{other:?}"))),
        };
        let (bytes, found) = without_noise(bytes, noisy);
        *noise = (*noise).or(found);
        let targets: Vec<_> = relocations
            .iter()
            .map(|relocation| {
                let target = match relocation.symbol {
                    Symbol::Function(id) => hash(&self.functions[id.index()]),
                    Symbol::Global(other) => match &globals[other.index()] {
                        Some(key) => hash(key),
                        None if depth == 0 => 0,
                        None => self.content(other, globals, noisy, depth - 1, noise),
                    },
                };
                (relocation.offset, target, relocation.addend)
            })
            .collect();
        hash(&(&bytes[..], targets, global.align))
    }
}

/// Whether a global is a constant without a name.
pub fn is_anonymous(global: &Global) -> bool {
    global.identity.is_none()
        && global.constant
        && !matches!(global.initializer, Initializer::External | Initializer::Unsupported(_))
}

fn function_key(function: &Function, file: &dyn Fn(FileId) -> u32) -> Key {
    match &function.identity {
        Some(identity) if identity.local => local(identity, file),
        Some(identity) => Key::Link(identity.name.clone()),
        None => Key::Link(without_suffix(&function.name).to_owned()),
    }
}

fn global_key(global: &Global, file: &dyn Fn(FileId) -> u32) -> Option<Key> {
    match &global.identity {
        Some(identity) if identity.local || !identity.scope.is_empty() => {
            Some(local(identity, file))
        }
        Some(identity) => Some(Key::Link(identity.name.clone())),
        None if is_anonymous(global) => None,
        None => Some(Key::Link(without_suffix(&global.name).to_owned())),
    }
}

fn local(identity: &Identity, file: &dyn Fn(FileId) -> u32) -> Key {
    Key::Local {
        unit: file(identity.unit),
        file: file(identity.file),
        scope: identity.scope.clone(),
        name: identity.name.clone(),
    }
}

/// A link name without the number that the linker put behind it.
fn without_suffix(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((front, digits))
            if !front.is_empty() && digits.bytes().all(|b| b.is_ascii_digit()) =>
        {
            front
        }
        _ => name,
    }
}

/// The bytes of a constant with noise replaced by something that is the same in both versions.
fn without_noise(bytes: &[u8], noisy: &Noisy<'_>) -> (Vec<u8>, Option<Noise>) {
    let text = bytes.strip_suffix(&[0]).and_then(|text| std::str::from_utf8(text).ok());
    let Some(text) = text else {
        return (bytes.to_vec(), None);
    };
    if is_date(text) || is_time(text) {
        return (b"(date)".to_vec(), Some(Noise::Date));
    }
    for (from, to) in noisy.replacements {
        let is_file = text == from;
        let is_below = text.strip_prefix(from.as_str()).is_some_and(|rest| rest.starts_with('/'));
        if is_file || is_below {
            let mut replaced = text.replacen(from.as_str(), to, 1).into_bytes();
            replaced.push(0);
            return (replaced, Some(Noise::BuildPath));
        }
    }
    if let Some(text) = noisy.number.as_ref().and_then(|number| number.leave_out(text)) {
        return (text.into_bytes(), Some(Noise::VersionNumber));
    }
    (bytes.to_vec(), None)
}

/// What `__DATE__` is: `Nov  8 2026`.
fn is_date(text: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let pattern = b"Mmm dd dddd";
    text.len() == pattern.len()
        && MONTHS.iter().any(|month| text.starts_with(month))
        && text.bytes().zip(pattern).skip(3).enumerate().all(|(at, (byte, wanted))| match wanted {
            b'd' => byte.is_ascii_digit() || (at == 1 && byte == b' '),
            other => byte == *other,
        })
}

/// What `__TIME__` is: `12:34:56`.
fn is_time(text: &str) -> bool {
    text.len() == 8
        && text.bytes().enumerate().all(|(at, byte)| match at {
            2 | 5 => byte == b':',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn noise_in_strings_is_found() {
        let replacements = &[("/a/old".to_owned(), "/b".to_owned())];
        let common = HashSet::from([&b"since 3.8"[..]]);
        let number = Some(Number { number: "3.8", common: &common });
        let noisy = Noisy { replacements, number };
        let text = |text: &str| without_noise(format!("{text}\0").as_bytes(), &noisy);
        assert_eq!(text("/a/old/x.c"), (b"/b/x.c\0".to_vec(), Some(Noise::BuildPath)));
        assert_eq!(text("/a/older/x.c").1, None);
        assert_eq!(text("Nov  8 2026").1, Some(Noise::Date));
        assert_eq!(text("Nov 18 2026").1, Some(Noise::Date));
        assert_eq!(text("Nov x8 2026").1, None);
        assert_eq!(text("12:34:56").1, Some(Noise::Date));
        assert_eq!(text("12:34:5x").1, None);
        assert_eq!(text("diff 3.8").1, Some(Noise::VersionNumber));
        assert_eq!(text("since 3.8").1, None, "both versions say so");
    }

    #[test]
    fn numbers_of_the_linker_are_no_part_of_a_name() {
        assert_eq!(without_suffix("usage.12"), "usage");
        assert_eq!(without_suffix(".str"), ".str");
        assert_eq!(without_suffix("a.b"), "a.b");
    }
}
