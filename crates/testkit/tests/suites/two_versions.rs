//! Programs with two versions.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result, ensure};
use testkit::filetest::Toolbox;
use testkit::generate::suite::Wanted;
use testkit::symex::classes::Counted;
use testkit::symex::enumerated::Share;
use testkit::symex::native::Sanitizer;
use testkit::symex::suite::programs;
use testkit::symex::{
    classes, confirmed, injected, mutants, near, reports, unified, upstream, versions,
};

use crate::settings::{Settings, each, name};

/// Programs with two versions.
pub fn shadow_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let share = if settings.full { Share::All } else { Share::About(1024) };
    each(&sources, |source| {
        let versions::Checked { same, diff, inputs, divergent } =
            versions::check(&settings.umbra, source, share)?;
        Ok(format!("{same:5} same {diff:5} diff paths {divergent:6} of {inputs:6} inputs"))
    })
}

/// Faults that a patch plants, from tests that do not show them.
pub fn near_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/near"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let sanitizer = Sanitizer::new()?;
    each(&sources, |source| {
        let near::Checked { seeds, confirmed } = near::check(&settings.umbra, &sanitizer, source)?;
        Ok(format!("found from {seeds} tests, {confirmed} inputs differ natively"))
    })
}

/// The patch of an upstream change that is checked in CI.
const SMALL_CHANGE: &str = "cut-compare-ranges";

/// Upstream changes of coreutils.
pub fn upstream_suite(settings: &Settings) -> Result<Vec<String>> {
    let (root, patches) = (Settings::root(), upstream_patches(settings)?);
    each(&patches, |patch| {
        let upstream::Checked { seeds, found, different } =
            upstream::check(&root, &settings.umbra, patch)?;
        Ok(format!("{seeds} tests, {found} divergences, {different} of them natively"))
    })
}

/// The annotated upstream changes that are wanted.
pub fn upstream_patches(settings: &Settings) -> Result<Vec<PathBuf>> {
    let folder = Settings::root().join("tests/shadow/upstream");
    let entries = std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
    let mut patches: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    patches.retain(|patch| patch.extension().is_some_and(|ending| ending == "patch"));
    patches.retain(|patch| patch.to_string_lossy().contains(&settings.filter));
    if !settings.full && settings.filter.is_empty() {
        patches.retain(|patch| name(patch) == SMALL_CHANGE);
    }
    patches.sort();
    ensure!(!patches.is_empty() || !settings.filter.is_empty(), "there is no patch");
    Ok(patches)
}

/// What native runs of two versions come to.
pub fn native_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/native"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    each(&sources, |source| {
        let replayed = confirmed::check(&settings.umbra, source)?;
        Ok(format!("{replayed} cases ran natively on both versions"))
    })
}

/// What is printed about two versions.
pub fn reports_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/reports"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let bless = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let toolbox = Toolbox { umbra: settings.umbra.clone(), bless };
    each(&sources, |source| Ok(format!("{} reports", reports::check(&toolbox, source)?)))
}

/// In CI, one of so many programs with two versions, and so many mutants of a routine.
const CLASSES_STEP: usize = 6;
const CLASSES_MUTANTS: u32 = 2;

/// Predicted classes against native ones, of all programs with two versions.
pub fn classes_suite(settings: &Settings) -> Result<Vec<String>> {
    let shadow = Settings::root().join("tests/shadow");
    let mut sources = Vec::new();
    for folder in ["", "native", "near", "reports", "mutants"] {
        sources.extend(programs(&shadow.join(folder))?);
    }
    for source in settings.programs("exhaustive")? {
        if injected::is_suitable(&source)? {
            sources.push(source);
        }
    }
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    if !settings.full && settings.filter.is_empty() {
        sources = sources.into_iter().step_by(CLASSES_STEP).collect();
    }
    let mutants = if settings.full { u32::MAX } else { CLASSES_MUTANTS };
    let header = injected::header();
    let header = header.to_str().context("the path is text")?;
    let (sanitizer, all) = (Sanitizer::new()?, Mutex::new(Counted::default()));
    let wrong = each(&sources, |source| {
        let flags: &[&str] = match source.starts_with(&shadow) {
            true => &[],
            false => &["-include", header],
        };
        let counted = classes::check(&settings.umbra, &sanitizer, source, flags, mutants)?;
        all.lock().unwrap_or_else(PoisonError::into_inner).add(&counted);
        Ok(counted.to_string())
    })?;
    println!("{}", all.into_inner().unwrap_or_else(PoisonError::into_inner));
    Ok(wrong)
}

/// In CI, one of so many of these programs.
const INJECTED_STEP: usize = 3;

/// The exhaustive programs with a change injected into their inputs.
pub fn injected_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = settings.programs("exhaustive")?;
    if !settings.full && settings.filter.is_empty() {
        sources = sources.into_iter().step_by(INJECTED_STEP).collect();
    }
    let about = if settings.full { u64::MAX } else { 512 };
    each(&sources, |source| {
        Ok(match injected::check(&settings.umbra, source, about)? {
            Some(inputs) => format!("{inputs:6} inputs"),
            None => "left out".to_owned(),
        })
    })
}

/// Two versions that become one by themselves.
pub fn unify_suite(settings: &Settings) -> Result<Vec<String>> {
    let Settings { umbra, full, filter } = settings;
    let edits = match std::env::var("UMBRA_GENERATED") {
        Ok(text) if !text.is_empty() => Some(Wanted::parse(&text, *full)?),
        _ => None,
    };
    unified::suite::run(&unified::suite::Asked { umbra, full: *full, filter, edits })
}

/// Mutants that there are to be, and those of them that do not terminate.
const MUTANTS: usize = 80;
const HANGING: usize = 2;

/// Mutants of small routines, all inputs of each.
pub fn mutants_suite(settings: &Settings) -> Result<Vec<String>> {
    let mut sources = programs(&Settings::root().join("tests/shadow/mutants"))?;
    sources.retain(|source| source.to_string_lossy().contains(&settings.filter));
    let (all, hang) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let mut wrong = each(&sources, |source| {
        let mutants::Checked { mutants, equivalent, hanging, diff, divergent } =
            mutants::check(&settings.umbra, source)?;
        all.fetch_add(mutants, Ordering::Relaxed);
        hang.fetch_add(hanging, Ordering::Relaxed);
        Ok(format!(
            "{mutants:3} mutants, {equivalent} equivalent, {hanging} not terminating, \
             {diff:5} diff paths, {divergent:6} divergent inputs"
        ))
    })?;
    let (all, hang) = (all.into_inner(), hang.into_inner());
    if settings.filter.is_empty() && (all < MUTANTS || hang < HANGING) {
        wrong.push(format!("{all} mutants, {hang} of them not terminating: too few"));
    }
    Ok(wrong)
}
