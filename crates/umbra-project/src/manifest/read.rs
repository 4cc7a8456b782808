//! From the text of a manifest to its value.
//!
//! The tables are walked by hand, not by a derived deserialiser: this way every error
//! says in the words of the manual what is expected, and where.

use std::path::{Component, Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::error::{ManifestError, ManifestProblem, Nearest};
use super::{FlavourSteps, Manifest, Steps, parse_size};

const TABLES: &[&str] = &["project", "build", "test", "record", "cache"];
const PROJECT: &[&str] = &["name", "programs", "tests", "source", "library"];
const BUILD: &[&str] =
    &["prepare", "configure", "build", "jobs", "incremental", "analysis", "checking"];
const FLAVOUR: &[&str] = &["flags", "configure", "build"];
const TEST: &[&str] = &["command"];
const RECORD: &[&str] = &["environment"];
const CACHE: &[&str] = &["limit"];

/// Where the reader is: the file, for errors.
struct Reader<'a> {
    file: &'a Path,
    text: &'a str,
}

type Value<'a> = Spanned<DeValue<'a>>;
type Read<T> = Result<T, ManifestError>;

/// Reads a whole manifest.
pub fn manifest(file: &Path, text: &str) -> Read<Manifest> {
    let reader = Reader { file, text };
    let root = DeTable::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        reader.error(at, ManifestProblem::Syntax(error.message().trim().replace('\n', ", ")))
    })?;
    let mut manifest = Manifest::default();
    for (key, value) in root.get_ref() {
        let name = key.get_ref().as_ref();
        if !TABLES.contains(&name) {
            return Err(reader.unknown_table(key.span().start, name));
        }
        let table = reader.table(name, value)?;
        match name {
            "project" => reader.project(table, &mut manifest)?,
            "build" => reader.build(table, &mut manifest.build)?,
            "test" => reader.keys("test", TEST, table, |_, key, value| {
                manifest.test = reader.string(key, value)?;
                Ok(())
            })?,
            "record" => reader.keys("record", RECORD, table, |_, key, value| {
                manifest.record_environment = reader.strings(key, value)?;
                Ok(())
            })?,
            _ => reader.keys("cache", CACHE, table, |_, key, value| {
                manifest.cache_limit = Some(reader.size(key, value)?);
                Ok(())
            })?,
        }
    }
    Ok(manifest)
}

impl Reader<'_> {
    fn project(&self, table: &DeTable<'_>, manifest: &mut Manifest) -> Read<()> {
        self.keys("project", PROJECT, table, |name, key, value| {
            match name {
                "name" => manifest.name = Some(self.string(key, value)?),
                "programs" => manifest.programs = self.paths(key, value)?,
                "tests" => manifest.tests = Some(self.boolean(key, value)?),
                "source" => manifest.source = self.paths(key, value)?,
                _ => manifest.library = self.paths(key, value)?,
            }
            Ok(())
        })
    }

    fn build(&self, table: &DeTable<'_>, steps: &mut Steps) -> Read<()> {
        self.keys("build", BUILD, table, |name, key, value| {
            match name {
                "prepare" => steps.prepare = self.string(key, value)?,
                "configure" => steps.configure = self.string(key, value)?,
                "build" => steps.build = self.string(key, value)?,
                "jobs" => steps.jobs = Some(self.count(key, value)?),
                "incremental" => steps.incremental = self.boolean(key, value)?,
                "analysis" => steps.analysis = self.flavour(key, value)?,
                _ => steps.checking = self.flavour(key, value)?,
            }
            Ok(())
        })
    }

    fn flavour(&self, path: &str, value: &Value<'_>) -> Read<FlavourSteps> {
        let mut steps = FlavourSteps::default();
        self.keys(path, FLAVOUR, self.table(path, value)?, |name, key, value| {
            match name {
                "flags" => steps.flags = self.strings(key, value)?,
                "configure" => steps.configure = Some(self.string(key, value)?),
                _ => steps.build = Some(self.string(key, value)?),
            }
            Ok(())
        })?;
        Ok(steps)
    }

    /// Calls `set` for every key of a table with its name and its full name; refuses
    /// keys that are not among `known`.
    fn keys(
        &self,
        table: &str,
        known: &'static [&'static str],
        entries: &DeTable<'_>,
        mut set: impl FnMut(&str, &str, &Value<'_>) -> Read<()>,
    ) -> Read<()> {
        for (key, value) in entries {
            let name = key.get_ref().as_ref();
            if !known.contains(&name) {
                return Err(self.unknown("key", key.span().start, name, known));
            }
            set(name, &format!("{table}.{name}"), value)?;
        }
        Ok(())
    }

    fn table<'a, 'i>(&self, key: &str, value: &'a Value<'i>) -> Read<&'a DeTable<'i>> {
        value.get_ref().as_table().ok_or_else(|| self.kind(key, "a table", value))
    }

    fn string(&self, key: &str, value: &Value<'_>) -> Read<String> {
        let text = value.get_ref().as_str().map(str::to_owned);
        text.ok_or_else(|| self.kind(key, "a quoted string", value))
    }

    fn boolean(&self, key: &str, value: &Value<'_>) -> Read<bool> {
        value.get_ref().as_bool().ok_or_else(|| self.kind(key, "true or false", value))
    }

    fn count(&self, key: &str, value: &Value<'_>) -> Read<usize> {
        let number = value.get_ref().as_integer().and_then(|number| number.as_str().parse().ok());
        number
            .filter(|&number: &usize| number > 0)
            .ok_or_else(|| self.kind(key, "a number above 0", value))
    }

    fn size(&self, key: &str, value: &Value<'_>) -> Read<u64> {
        let text = match value.get_ref() {
            DeValue::String(text) => Some(text.as_ref()),
            DeValue::Integer(number) => Some(number.as_str()),
            _ => None,
        };
        text.and_then(parse_size).ok_or_else(|| self.kind(key, "a size such as \"20 GiB\"", value))
    }

    fn strings(&self, key: &str, value: &Value<'_>) -> Read<Vec<String>> {
        self.list(key, value, "a list of strings", |text| Ok(text.to_owned()))
    }

    /// Paths are relative to the project's folder and stay inside it.
    fn paths(&self, key: &str, value: &Value<'_>) -> Read<Vec<PathBuf>> {
        self.list(key, value, "a list of paths", |text| {
            let path = Path::new(text);
            let inside = path
                .components()
                .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            if !inside || text.is_empty() {
                return Err(ManifestProblem::Outside { key: key.into(), path: text.into() });
            }
            Ok(path.components().filter(|part| *part != Component::CurDir).collect())
        })
    }

    fn list<T>(
        &self,
        key: &str,
        value: &Value<'_>,
        expected: &'static str,
        convert: impl Fn(&str) -> Result<T, ManifestProblem>,
    ) -> Read<Vec<T>> {
        let items = value.get_ref().as_array().ok_or_else(|| self.kind(key, expected, value))?;
        let convert = |item: &Value<'_>| {
            let text = item.get_ref().as_str().ok_or_else(|| self.kind(key, expected, item))?;
            convert(text).map_err(|problem| self.error(item.span().start, problem))
        };
        items.iter().map(convert).collect()
    }

    fn kind(&self, key: &str, expected: &'static str, value: &Value<'_>) -> ManifestError {
        let found = match value.get_ref() {
            DeValue::String(text) => format!("the text \"{text}\""),
            DeValue::Integer(_) | DeValue::Float(_) => "a number".into(),
            DeValue::Boolean(value) => value.to_string(),
            DeValue::Datetime(_) => "a date".into(),
            DeValue::Array(_) => "a list".into(),
            DeValue::Table(_) => "a table".into(),
        };
        let problem = ManifestProblem::Kind { key: key.into(), expected, found };
        self.error(value.span().start, problem)
    }

    fn unknown(
        &self,
        what: &'static str,
        at: usize,
        name: &str,
        known: &'static [&'static str],
    ) -> ManifestError {
        let near = |known: &&'static str| (strsim::damerau_levenshtein(name, known), *known);
        let nearest = match known.iter().map(near).min() {
            Some((distance, known)) if distance <= known.len() / 2 => Nearest::One(known.into()),
            _ => Nearest::Any(known.to_vec()),
        };
        self.error(at, ManifestProblem::Unknown { what, name: name.into(), nearest })
    }

    /// A key that lost its table is told where it belongs.
    fn unknown_table(&self, at: usize, name: &str) -> ManifestError {
        let tables = TABLES
            .iter()
            .zip([PROJECT, BUILD, TEST, RECORD, CACHE])
            .filter(|(_, keys)| keys.contains(&name));
        match tables.map(|(table, _)| table).next() {
            Some(table) => {
                let nearest = Nearest::One(format!("{table}.{name}"));
                self.error(
                    at,
                    ManifestProblem::Unknown { what: "table", name: name.into(), nearest },
                )
            }
            None => self.unknown("table", at, name, TABLES),
        }
    }

    fn error(&self, at: usize, problem: ManifestProblem) -> ManifestError {
        let before = self.text.as_bytes().get(..at).unwrap_or(self.text.as_bytes());
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        ManifestError { file: self.file.into(), line, problem }
    }
}
