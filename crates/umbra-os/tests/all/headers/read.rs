//! What musl's headers name: system calls, and constants with their values.
//!
//! The source is where the set-up keeps it. Conditions are not followed: a name that is defined
//! several times has several values, and all of them are tried.

use super::evaluate::evaluate;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The constants of one header. One without a value is no number.
pub(super) struct Header {
    /// As it is included: `sys/mman.h`, `bits/mman.h`.
    pub(super) name: String,
    pub(super) constants: BTreeMap<String, BTreeSet<i64>>,
}

/// The source of musl; `None` on a machine that is not set up and need not be.
pub(super) fn source() -> Option<PathBuf> {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("UMBRA_CACHE").or_else(|| {
        let caches =
            variable("XDG_CACHE_HOME").or_else(|| variable("HOME").map(|home| home.join(".cache")));
        caches.map(|caches| caches.join("umbra"))
    });
    let source = cache.map(|cache| cache.join("sources/musl")).filter(|source| source.is_dir());
    let required = std::env::var_os("UMBRA_REQUIRE_MACHINE").is_some();
    assert!(source.is_some() || !required, "the source of musl is not there: run `make setup`");
    source
}

/// The numbers of all calls, by name.
pub(super) fn calls(source: &Path) -> BTreeMap<String, u64> {
    let text = std::fs::read_to_string(source.join("arch/x86_64/bits/syscall.h.in")).unwrap();
    let call = |line: &str| {
        let (name, number) = line.strip_prefix("#define __NR_")?.split_once(char::is_whitespace)?;
        Some((name.to_owned(), number.trim().parse().unwrap()))
    };
    text.lines().filter_map(call).collect()
}

/// All headers that define constants.
pub(super) fn headers(source: &Path) -> Vec<Header> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    // What the machine has of its own takes the place of what all have.
    let folders = [("include", ""), ("arch/generic/bits", "bits/"), ("arch/x86_64/bits", "bits/")];
    for (folder, prefix) in folders {
        collect(&source.join(folder), prefix, &mut texts);
    }
    let defined: Vec<(&str, &str, &str)> = texts
        .iter()
        .flat_map(|(header, text)| {
            let lines = text.lines().filter_map(definition);
            lines.map(|(name, value)| (header.as_str(), name, value))
        })
        .collect();
    let known: BTreeMap<&str, &str> =
        defined.iter().map(|&(_, name, value)| (name, value)).collect();
    let mut headers: BTreeMap<&str, BTreeMap<String, BTreeSet<i64>>> = BTreeMap::new();
    for (header, name, value) in defined {
        let constants = headers.entry(header).or_default();
        constants.entry(name.to_owned()).or_default().extend(evaluate(value, &known));
    }
    let header = |(name, constants): (&str, _)| Header { name: name.to_owned(), constants };
    headers.into_iter().map(header).collect()
}

fn collect(folder: &Path, prefix: &str, texts: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), texts);
        } else if name.ends_with(".h") {
            let text = std::fs::read_to_string(path).unwrap();
            texts.insert(name, text.replace("\\\n", " "));
        }
    }
}

/// A constant that a line defines: in capitals, without parameters, not one of the libc's own.
fn definition(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
    let (name, value) = rest.trim_start().split_once([' ', '\t'])?;
    let is_name = |name: &str| {
        name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let value = value.split("/*").next()?.trim();
    (is_name(name) && !value.is_empty()).then_some((name, value))
}
