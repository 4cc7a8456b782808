//! Every system call and every flag that musl's headers name has an answer: a model that does what
//! the host's kernel does, or the end of the path.
//!
//! The headers are read, not copied (`read.rs`). Each of their constants is of a family, by its first
//! letters (`families.rs`). A family has rows: calls with a gap for the flag, which are made with
//! every constant of the family, and with two of them, in the model and, where the model has an
//! answer, on the host. A constant of no family fails the test. What older kernels do not have is not
//! asked of them (`since.rs`).

mod evaluate;
mod families;
mod host;
mod machine;
mod read;
mod row;
mod since;

use crate::host_alone;
use families::{Family, OTHER_HEADERS, family_of};
use host::Host;
use machine::{Model, Report, Try};
use read::Header;
use row::{Expected, Kind, Row};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use umbra_engine::{Answer, Environment};
use umbra_os::{Config, Kernel};

/// Rows that are walked at a time: much of it is waiting for child processes.
const WORKERS: usize = 4;

/// Calls about a priority, which is not always the model's (`is_nice`).
const PRIORITY: [i64; 2] = [libc::SYS_getpriority, libc::SYS_setpriority];

/// The folder of a try.
fn fill(root: &Path) {
    std::fs::create_dir(root).unwrap();
    std::fs::write(root.join("file"), "contents").unwrap();
    std::fs::create_dir(root.join("dir")).unwrap();
    std::os::unix::fs::symlink("file", root.join("link")).unwrap();
}

/// Removes it, if it is there, with folders that a try has closed.
fn clear(root: &Path) {
    if !root.exists() || std::fs::remove_dir_all(root).is_ok() {
        return;
    }
    open(root);
    std::fs::remove_dir_all(root).unwrap();
}

/// Gives an ordinary user the right to remove what is in a folder.
fn open(folder: &Path) {
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    std::fs::set_permissions(folder, mode).unwrap();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            open(&entry.path());
        }
    }
}

#[test]
fn every_call_that_is_named_has_a_model_or_an_end() {
    let Some(source) = read::source() else { return };
    let calls = read::calls(&source);
    assert!(calls.len() > 300, "{} calls", calls.len());
    let unknown = |number: &u64| {
        let mut kernel = Kernel::new(Config::default()).unwrap();
        let mut memory = crate::memory::FlatMemory::new();
        let answer = kernel.system_call(&mut memory, *number, [0; 6]);
        matches!(answer, Answer::Unsupported(what) if what.starts_with("unknown"))
    };
    let missing: Vec<&String> =
        calls.iter().filter(|(_, number)| unknown(number)).map(|(name, _)| name).collect();
    assert!(missing.is_empty(), "neither a model nor a cut: {missing:?}");
}

fn is_other(header: &Header) -> bool {
    OTHER_HEADERS.iter().any(|(names, _)| names.contains(&header.name.as_str()))
}

/// The constants of all families, and what is wrong with the tables.
fn constants(headers: &[Header]) -> (BTreeMap<String, BTreeSet<i64>>, Vec<String>) {
    let mut found: BTreeMap<String, BTreeSet<i64>> = BTreeMap::new();
    let mut wrong = Vec::new();
    for header in headers {
        if is_other(header) {
            continue;
        }
        for (name, values) in &header.constants {
            let Some((family, _)) = family_of(&header.name, name) else {
                wrong.push(format!("{}: {name} is of no family", header.name));
                continue;
            };
            if values.is_empty() && matches!(family, Family::Tried { .. }) {
                wrong.push(format!("{}: {name} has no value", header.name));
            }
            found.entry(family.title()).or_default().extend(values);
        }
    }
    (found, wrong)
}

/// Both directions: what the headers have is in a table, and what is in a table the headers have.
#[test]
fn every_constant_is_of_a_family() {
    let Some(source) = read::source() else { return };
    let headers = read::headers(&source);
    let (_, mut wrong) = constants(&headers);
    let named = headers.iter().flat_map(|header| {
        let names = header.constants.keys();
        names.filter_map(move |name| family_of(&header.name, name).map(|found| (found, header)))
    });
    let mut used: BTreeSet<(String, usize)> = BTreeSet::new();
    for ((family, prefix), header) in named {
        if !is_other(header) {
            used.insert((family.title(), prefix));
        }
    }
    for family in families::all() {
        for (n, prefix) in family.prefixes().iter().enumerate() {
            if !used.contains(&(family.title(), n)) {
                wrong.push(format!("no header has a constant of {prefix} ({})", family.reason()));
            }
        }
    }
    for name in OTHER_HEADERS.iter().flat_map(|(names, _)| *names) {
        if !headers.iter().any(|header| header.name == *name) {
            wrong.push(format!("no header {name} has constants"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

fn values(row: &Row, constants: &BTreeSet<i64>) -> BTreeSet<i64> {
    let mut values = constants.clone();
    match row.kind {
        Kind::Numbers => values.extend(0..40),
        Kind::Bits => {
            values.extend((0..32).map(|bit| i64::from(1u32 << bit)).chain([0]));
            if std::env::var_os("UMBRA_SINGLE_FLAGS").is_none() {
                let social: Vec<i64> =
                    constants.iter().copied().filter(|value| value & row.alone == 0).collect();
                let pairs = social.iter().flat_map(|one| social.iter().map(move |two| one | two));
                values.extend(pairs);
            }
        }
    }
    values.retain(|value| row.except.iter().all(|(not, _)| value != not));
    values
}

/// What is wrong with the answers of the model to a row: values by what came of them.
fn walk(
    title: &str,
    row: &Row,
    values: &BTreeSet<i64>,
    kernel: &Kernel,
    host: &mut Host,
) -> Option<String> {
    let version = since::host();
    let mut wrong: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut answers = 0;
    for &value in values {
        let mut report = Report::EMPTY;
        if Try::new(&mut Model::of(kernel), value).run(row, &mut report).is_err() {
            continue;
        }
        answers += 1;
        let what = match row.expected {
            Expected::Cuts => format!("is answered: {report}"),
            Expected::Answers => {
                if let Some(([major, minor], what)) = since::missing(version, title, row, value) {
                    eprintln!("{title} {value:#x} is not compared: {what} (Linux {major}.{minor})");
                    continue;
                }
                let native = host.run(row, value);
                if report.words() == native.words() {
                    continue;
                }
                format!("natively {native}\n      modelled {report}")
            }
        };
        wrong.entry(what).or_default().push(format!("{value:#x}"));
    }
    if answers == 0 && row.expected == Expected::Answers {
        wrong.entry("ends the path each time, and should be said to".to_owned()).or_default();
    }
    if wrong.is_empty() {
        return None;
    }
    let lines = wrong.iter().take(12).map(|(what, values)| {
        let some: Vec<&str> = values.iter().take(12).map(String::as_str).collect();
        format!("  {} values, {}:\n      {what}", values.len(), some.join(" "))
    });
    Some(format!("{}\n{}", row.name(), lines.collect::<Vec<_>>().join("\n")))
}

/// Whether somebody gave this process another priority than the model has, which only the superuser can undo.
fn is_nice() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    !is_root && rustix::process::getpriority_process(None).unwrap() != 0
}

/// A flag is not ignored unless Linux ignores it. `UMBRA_FAMILY` picks one family; with `UMBRA_SINGLE_FLAGS`
/// no two flags are tried together, for slow machines.
#[test]
fn every_flag_is_answered_as_by_linux() {
    let Some(source) = read::source() else { return };
    let headers = read::headers(&source);
    let (found, _) = constants(&headers);
    let only = std::env::var("UMBRA_FAMILY").ok();
    let families = families::all().filter(|family| match &only {
        Some(only) => *only == family.title(),
        None => true,
    });
    let rows: Vec<(String, &Row)> = families
        .flat_map(|family| family.rows().iter().map(|row| (family.title(), row)))
        .filter(|(_, row)| !(is_nice() && row.has_one_of(&PRIORITY)))
        .collect();
    let place = tempfile::tempdir().unwrap();
    let model = place.path().join("model");
    fill(&model);
    let kernel = machine::kernel(&model);
    let next = AtomicUsize::new(0);
    let work = |folder: usize| {
        let mut host = Host::new(&place.path().join(folder.to_string()));
        let mut wrong = Vec::new();
        while let Some((title, row)) = rows.get(next.fetch_add(1, Ordering::Relaxed)) {
            let named = found.get(title).cloned().unwrap_or_default();
            let what = walk(title, row, &values(row, &named), &kernel, &mut host);
            wrong.extend(what.map(|what| format!("{title}: {what}")));
        }
        wrong
    };
    let _alone = host_alone();
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|n| scope.spawn(move || work(n))).collect();
        workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
