//! Predicted classes against native ones. Whatever `umbra diff` finds in a program runs natively as both
//! versions, and the class that this shows must be the one that was predicted.
//!
//! Where it is not, one of few reasons must explain it. That not all is known is never a wrong class: then
//! `to-judge` is predicted.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use umbra_case::Case;

use super::command::{compile_with, symbolic_flags};
use super::diff::{Diffed, follow};
use super::directives::Directives;
use super::input::Input;
use super::native::{Sanitizer, run_on};
use super::sanitized::is_error;

/// How long a program may be compared, and how many cases of a place are run.
const FLAGS: [&str; 4] = ["--max-time", "10s", "--tests-per-place", "4"];

/// Beside these, near tests: the time is not meant to be used up.
const NEAR: [&str; 4] = ["--max-around-instructions", "2000000", "--max-shapes", "0"];

/// How a predicted class and the native one go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reason {
    /// They are the same.
    Agree,
    /// A limit was reached, and it is said that not all is known.
    Unknown,
    /// The versions that are predicted to fail do, as builds with sanitizers show; without them they may do
    /// anything.
    Silent,
    /// A version behaves differently from run to run.
    Unsteady,
}

/// Cases, by how their classes go together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counted(BTreeMap<Reason, u64>);

impl Counted {
    /// Adds what was counted elsewhere.
    pub fn add(&mut self, other: &Self) {
        for (reason, cases) in &other.0 {
            *self.0.entry(*reason).or_default() += cases;
        }
    }
}

impl fmt::Display for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |reason| self.0.get(&reason).copied().unwrap_or(0);
        write!(
            f,
            "{:4} cases as predicted, {} not known, {} silent errors, {} unsteady",
            count(Reason::Agree),
            count(Reason::Unknown),
            count(Reason::Silent),
            count(Reason::Unsteady)
        )
    }
}

/// A program that is compared.
struct Subject<'a> {
    sanitizer: &'a Sanitizer,
    source: &'a Path,
    /// Flags of its compiler.
    flags: &'a [&'a str],
    /// A name of its own for what is compiled of it.
    name: String,
}

/// Checks what is found in one program on all its paths and from each of its tests; of mutants at most
/// so many.
pub fn check(
    umbra: &Path,
    sanitizer: &Sanitizer,
    source: &Path,
    flags: &[&str],
    mutants: u32,
) -> anyhow::Result<Counted> {
    let directives = Directives::parse(&std::fs::read_to_string(source)?)?;
    let mut counted = Counted::default();
    let folder = tempfile::tempdir()?;
    let exe = compile_with(umbra, source, folder.path(), flags)?;
    let stem = source.file_stem().context("a source has a name")?.to_string_lossy();
    let part = source.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
    let subject = Subject { sanitizer, source, flags, name: format!("{part}-{stem}") };
    let mut runs: Vec<(bool, Vec<String>)> = match directives.mutants {
        0 => vec![(true, directives.args.clone())],
        all => (1..=all.min(mutants)).map(|mutant| (true, vec![mutant.to_string()])).collect(),
    };
    runs.extend(directives.seeds.iter().map(|seed| (false, seed.clone())));
    for (number, (complete, arguments)) in runs.iter().enumerate() {
        // What a file says itself holds near tests.
        let given = |flag: &str| !complete && directives.flags.iter().any(|word| word == flag);
        let usual = |words: &[&str]| -> Vec<String> {
            let kept = words.chunks(2).filter(|words| !given(words[0])).flatten();
            kept.map(|word| (*word).to_owned()).collect()
        };
        let mut flags = usual(&FLAGS);
        if *complete {
            flags.push("--complete".to_owned());
            flags.extend(symbolic_flags(&directives));
        } else {
            flags.extend(usual(&NEAR));
            flags.extend(directives.flags.iter().cloned());
        }
        let output = folder.path().join(format!("out{number}"));
        let Diffed { object, divergences } = follow(umbra, &flags, &exe, arguments, &output)
            .with_context(|| format!("with {arguments:?}"))?;
        for divergence in &divergences {
            let (reason, cases) = subject
                .reason(divergence, &object, &output)
                .with_context(|| format!("with {arguments:?}: {divergence}"))?;
            *counted.0.entry(reason).or_default() += cases;
        }
    }
    Ok(counted)
}

impl Subject<'_> {
    /// How the classes of a divergence go together, and of how many cases that is known.
    fn reason(
        &self,
        divergence: &Value,
        object: &Value,
        output: &Path,
    ) -> anyhow::Result<(Reason, u64)> {
        let more = divergence["more_cases"].as_array().map_or(0, Vec::len) as u64;
        let cases = u64::from(divergence["case"].is_string()) + more;
        let predicted = divergence["class"].as_str().context("a class")?;
        let native = divergence["native"].as_str();
        let reason = match (predicted, native) {
            ("to-judge", _) => {
                let is_cut = object["left_out"].as_object().is_some_and(|left| !left.is_empty());
                ensure!(is_cut, "not all is known, and nothing was left out");
                Reason::Unknown
            }
            (predicted, Some(native)) if predicted == native => Reason::Agree,
            (_, Some("flaky" | "nondeterminism-introduced")) => Reason::Unsteady,
            (_, Some(native)) => {
                let case = divergence["case"].as_str().context("a case")?;
                let errors = self.errors(&output.join(case))?;
                let explained = match predicted {
                    "regression" => errors == (false, true),
                    "fix" => errors == (true, false),
                    "output-difference" => errors == (true, true),
                    _ => false,
                };
                ensure!(
                    explained,
                    "{predicted} is predicted, natively it is {native}; errors of the old and the \
                     new version with sanitizers: {errors:?}"
                );
                Reason::Silent
            }
            (_, None) => bail!("no native class"),
        };
        Ok((reason, cases))
    }

    /// Whether builds of the versions with sanitizers report an error on a case.
    fn errors(&self, case: &Path) -> anyhow::Result<(bool, bool)> {
        let input = Input::of_case(&Case::read(case)?);
        let report = |version: &str| -> anyhow::Result<bool> {
            let exe = self.build(version)?;
            Ok(is_error(&run_on(&exe, &[], &[], &input)?))
        };
        Ok((report("OLD")?, report("NEW")?))
    }

    fn build(&self, version: &str) -> anyhow::Result<PathBuf> {
        let defined = format!("-DUMBRA_{version}");
        // A read just before an array is nothing to the other sanitizers.
        let flags = [self.flags, &[&defined, "-w", "-fsanitize=bounds"]].concat();
        self.sanitizer.compile_with(self.source, &format!("{}-{version}", self.name), &flags)
    }
}
