//! Small programs: the corpus in `tests/symex`, generated ones, and those that use up time or memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use testkit::generate::suite::Wanted;
use testkit::limits;
use testkit::symex::amplify;
use testkit::symex::bugs::{self, Effort};
use testkit::symex::command;
use testkit::symex::enumerated::Share;
use testkit::symex::exhaustive::{self, Checked};
use testkit::symex::explore::Manner;
use testkit::symex::klee;
use testkit::symex::native::Sanitizer;
use testkit::symex::reach;
use testkit::symex::suite::programs;

use crate::settings::{Settings, each};

/// Programs that the real command line explores.
pub fn corpus(settings: &Settings, folder: &str) -> Result<Vec<String>> {
    let sources = settings.programs(folder)?;
    let sanitizer = Sanitizer::new()?;
    let effort = match settings.full {
        true => Effort { time: Duration::from_secs(60), tests: 1000, scripts: 20 },
        false => Effort { time: Duration::from_secs(20), tests: 40, scripts: 2 },
    };
    each(&sources, |source| {
        let checked = bugs::check(&settings.umbra, &sanitizer, source, effort)?;
        Ok(format!(
            "{:6} paths{} {:2} findings {:5} tests",
            checked.paths,
            if checked.complete { " " } else { "+" },
            checked.findings,
            checked.tests
        ))
    })
}

/// Harnesses as they are written for KLEE.
pub fn klee_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/klee"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    each(&sources, |source| Ok(format!("{:6} paths", klee::check(&settings.umbra, source)?)))
}

/// In CI each program is explored in the usual manner and in one of the others in turn, else in all.
pub fn exhaustive_suite(settings: &Settings) -> Result<Vec<String>> {
    let sources = settings.programs("exhaustive")?;
    let sanitizer = Sanitizer::new()?;
    each(&sources, |source| {
        let at = sources.iter().position(|other| other == source).unwrap_or(0) as u64;
        let effort = match settings.full {
            true => exhaustive::Effort {
                plain: Share::All,
                checked: Share::About(4096),
                errors: 16384,
                manners: (0..Manner::COUNT).map(Manner::number).collect(),
            },
            false => exhaustive::Effort {
                plain: Share::About(2048),
                checked: Share::About(64),
                errors: 256,
                manners: [0, 1 + at % (Manner::COUNT - 1)].map(Manner::number).to_vec(),
            },
        };
        let Checked { paths, errors, inputs } =
            exhaustive::check(&settings.umbra, &sanitizer, source, &effort)?;
        Ok(format!("{paths:6} paths {errors:4} errors {inputs:6} inputs"))
    })
}

/// Generated programs, from the seed 1 on.
const GENERATED: u64 = 100;
const GENERATED_FULL: u64 = 2000;

/// Random programs of which every input is known. `UMBRA_GENERATED` is `SEED:COUNT`, or a seed.
pub fn generated_suite(settings: &Settings) -> Result<Vec<String>> {
    let count = if settings.full { GENERATED_FULL } else { GENERATED };
    let wanted = match std::env::var("UMBRA_GENERATED").ok().filter(|text| !text.is_empty()) {
        Some(text) => Wanted::parse(&text, settings.full)?,
        None => Wanted { seed: 1, count, full: settings.full },
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("generated");
    testkit::generate::suite::run(&settings.umbra, wanted, &folder)
}

/// Programs and inputs that use up time or memory, one at a time: what they take is measured.
pub fn limits_suite(settings: &Settings) -> Result<Vec<String>> {
    let folder = Settings::root().join("tests/limits");
    let scratch = tempfile::tempdir()?;
    let mut built = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in limits::rows(&std::fs::read_to_string(folder.join("table.txt"))?)? {
        let wanted = row.name.contains(&settings.filter);
        if !wanted || !(settings.full || row.quick || !settings.filter.is_empty()) {
            continue;
        }
        if !built.contains_key(&row.program) {
            let source = folder.join(&row.program).with_extension("c");
            let program = command::compile(&settings.umbra, &source, scratch.path())?;
            built.insert(row.program.clone(), program);
        }
        let name = &row.name;
        match row.check(&settings.umbra, &built[&row.program]) {
            Ok(taken) => println!("{name:20} {taken}"),
            Err(error) => {
                println!("{name:20} {error:#}");
                wrong.push(format!("{name}: {error:#}"));
            }
        }
    }
    Ok(wrong)
}

/// Targets that one mechanism leads to, and those that nothing does.
pub fn reach_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/reach"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    each(&sources, |source| reach::check(&settings.umbra, source))
}

/// What tests only visit.
pub fn amplify_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/amplify"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let sanitizer = Sanitizer::new()?;
    each(&sources, |source| {
        let checked = amplify::check(&settings.umbra, &sanitizer, source, settings.full)?;
        let (findings, brute) = (checked.findings, checked.brute);
        Ok(format!("{findings} findings, {brute} inputs with fewer changes"))
    })
}
