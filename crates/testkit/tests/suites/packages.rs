//! Programs of packages, as they are and with a fault in them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use testkit::symex::amplify;
use testkit::symex::nursery::Nursery;
use testkit::symex::planted::Planted;
use testkit::symex::real::{Row, Subject};

use crate::settings::{Settings, each};

/// Packages with programs that are explored.
const PACKAGES: [&str; 2] = ["coreutils", "binutils"];

/// Programs of coreutils that are explored in CI, and for how long.
const SMALL: [&str; 2] = ["cut", "tr"];
const SMALL_TIME: Duration = Duration::from_secs(10);
const FULL_TIME: Duration = Duration::from_secs(120);
const PLANTED_TIME: Duration = Duration::from_secs(60);

/// Percent of a program's own lines that must run, on average, and of findings that must be
/// confirmed.
const COVERAGE: f64 = 60.0;
const CONFIRMED: f64 = 95.0;

pub fn real_suite(settings: &Settings) -> Result<Vec<String>> {
    let time = if settings.full { FULL_TIME } else { SMALL_TIME };
    let mut programs = BTreeMap::new();
    for name in PACKAGES {
        let mut subjects = settings.subjects(name)?;
        if !settings.full && settings.filter.is_empty() {
            subjects.retain(|subject| SMALL.contains(&subject.name.as_str()));
        }
        if !subjects.is_empty() {
            let package = Arc::new(settings.package(name)?);
            let program =
                |subject: Subject| (PathBuf::from(&subject.name), (package.clone(), subject));
            programs.extend(subjects.into_iter().map(program));
        }
    }
    let names: Vec<PathBuf> = programs.keys().cloned().collect();
    let rows = Mutex::new(Vec::new());
    let mut wrong = each(&names, |name| {
        let (package, subject) = &programs[name];
        let row = package.check(subject, time)?;
        let line = format!(
            "{:7} paths {:5.1} % of {:4} lines {:4} of {:4} tests {:2} of {:2} findings",
            row.paths,
            row.coverage(),
            row.lines.1,
            row.tests.0,
            row.tests.1,
            row.confirmed,
            row.findings
        );
        for remark in &row.remarks {
            println!("    {}: {remark}", name.display());
        }
        let bad = row.tests.1 - row.tests.0;
        rows.lock().unwrap_or_else(PoisonError::into_inner).push(row);
        ensure!(bad == 0, "{bad} tests do not go as predicted\n{line}");
        Ok(line)
    })?;
    let rows = rows.into_inner().unwrap_or_else(PoisonError::into_inner);
    let average = rows.iter().map(Row::coverage).sum::<f64>() / rows.len().max(1) as f64;
    let (confirmed, findings) =
        rows.iter().fold((0, 0), |(some, all), row| (some + row.confirmed, all + row.findings));
    println!(
        "average {average:.1} % of {} programs, {confirmed} of {findings} findings",
        rows.len()
    );
    if settings.full && average < COVERAGE {
        wrong.push(format!("only {average:.1} % of the programs' own lines ran, on average"));
    }
    if (confirmed as f64) < findings as f64 * CONFIRMED / 100.0 {
        wrong.push(format!("only {confirmed} of {findings} findings show themselves natively"));
    }
    Ok(wrong)
}

pub fn planted_suite(settings: &Settings) -> Result<Vec<String>> {
    if !settings.full && settings.filter.is_empty() {
        return Ok(Vec::new());
    }
    let (package, subjects) = (settings.package("coreutils")?, settings.subjects("coreutils")?);
    let nursery = Nursery::new(&package)?;
    let mut faults = Vec::new();
    for subject in &subjects {
        let patch = format!("tests/symex/planted/{}.patch", subject.name);
        let patch = Settings::root().join(patch);
        if patch.exists() {
            let planted = Planted::read(&patch)?;
            let faulty = nursery.plant(&planted)?;
            faults.push((planted, faulty, &subject.planted));
        }
    }
    ensure!(
        !settings.filter.is_empty() || faults.len() >= 12,
        "{} faults are too few",
        faults.len()
    );
    let programs: Vec<PathBuf> = faults.iter().map(|(_, faulty, _)| faulty.exe.clone()).collect();
    each(&programs, |program| {
        let fault = faults.iter().find(|(_, faulty, _)| faulty.exe == program);
        let (planted, faulty, words) = fault.context("a fault")?;
        let paths = nursery.check(planted, faulty, words, PLANTED_TIME)?;
        Ok(format!("{paths:7} paths, {planted} found and confirmed"))
    })
}

/// The same faults, from tests that pass near them. Only in full, as above.
pub fn amplify_planted_suite(settings: &Settings) -> Result<Vec<String>> {
    if !settings.full && settings.filter.is_empty() {
        return Ok(Vec::new());
    }
    let text = std::fs::read_to_string(Settings::root().join("tests/amplify/planted.txt"))?;
    let mut near = amplify::Near::parse(&text)?;
    near.retain(|near| near.program.contains(&settings.filter));
    let nursery = Nursery::new(&settings.package("coreutils")?)?;
    let mut faults = Vec::new();
    for near in near {
        let patch = format!("tests/symex/planted/{}.patch", near.program);
        let planted = Planted::read(&Settings::root().join(patch))?;
        let faulty = nursery.plant(&planted)?;
        faults.push((near, planted, faulty));
    }
    let programs: Vec<PathBuf> = faults.iter().map(|(_, _, faulty)| faulty.exe.clone()).collect();
    each(&programs, |program| {
        let fault = faults.iter().find(|(_, _, faulty)| faulty.exe == program);
        let (near, planted, faulty) = fault.context("a fault")?;
        near.check(&settings.umbra, planted, faulty)?;
        Ok(format!("{planted} found near its test, and confirmed"))
    })
}
