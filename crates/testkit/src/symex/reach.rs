//! Programs with a target (`tests/reach`): `umbra reach` gets there with the mechanism that the file names, and not without it.
//!
//! A target prints `reached`, so every input is also checked without Umbra: its script runs on the executable, and the
//! word must be there. Where something else is to come of a target, everything is tried.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::Value;
use umbra_case::Case;
use umbra_words::{Mechanism, Sought};

use super::command::{Written, compile};
use super::replay::run_script;
use crate::filetest::process::run_within;

/// What a program is to say on standard output where the target is.
const WORD: &str = "reached";

/// Where the target is.
const MARK: &str = "// TARGET";

/// Instructions of the engine, unless the file says otherwise: enough for what leads there, and too few for chance.
const INSTRUCTIONS: u64 = 400_000;

/// Time and resident memory, in KiB, of one run of the command.
const TIME: Duration = Duration::from_secs(120);
const MEMORY: u64 = 4_000_000;

/// What a file says on its first lines.
struct Claim {
    seed: Vec<String>,
    stdin: Option<Vec<u8>>,
    mechanism: Option<Mechanism>,
    /// The outcome and the reason, where no mechanism leads there.
    outcome: Option<(Sought, String)>,
    /// Where an error is met.
    error: Option<String>,
    instructions: u64,
    line: usize,
}

impl Claim {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let value = |key: &str| {
            let prefix = format!("//@ {key}:");
            text.lines().find_map(|line| line.strip_prefix(&prefix)).map(str::trim)
        };
        let mechanism = value("mechanism").map(|name| {
            Mechanism::by_name(name).with_context(|| format!("no mechanism is called {name}"))
        });
        let outcome = value("outcome").map(|words| {
            let (outcome, reason) = words.split_once(' ').unwrap_or((words, ""));
            let outcome = Sought::by_name(outcome).with_context(|| format!("no {outcome}"))?;
            anyhow::Ok((outcome, reason.to_owned()))
        });
        let line = text.lines().position(|line| line.contains(MARK)).context("no target")? + 1;
        let instructions = value("instructions").map(str::parse).transpose()?;
        Ok(Self {
            seed: value("seed").context("no seed")?.split_whitespace().map(str::to_owned).collect(),
            stdin: value("stdin").map(|text| text.replace("\\n", "\n").into_bytes()),
            mechanism: mechanism.transpose()?,
            outcome: outcome.transpose()?,
            error: value("error").map(str::to_owned),
            instructions: instructions.unwrap_or(INSTRUCTIONS),
            line,
        })
    }

    /// The mechanisms that the one of the file needs beside it: all take the nearest side when they have found it.
    fn allowed(&self) -> Vec<Mechanism> {
        match self.mechanism {
            // Tests in other shapes are no end of other tests.
            None => {
                let all = Mechanism::ALL.iter().copied();
                all.filter(|mechanism| *mechanism != Mechanism::Options).collect()
            }
            Some(mechanism) => vec![Mechanism::Greedy, mechanism],
        }
    }
}

/// A program that is checked.
struct Subject<'a> {
    umbra: &'a Path,
    claim: Claim,
    exe: PathBuf,
    source: String,
    folder: tempfile::TempDir,
}

/// Checks one program; says what came of it.
pub fn check(umbra: &Path, source: &Path) -> anyhow::Result<String> {
    let claim = Claim::parse(&fs::read_to_string(source)?)?;
    let folder = tempfile::tempdir()?;
    let exe = compile(umbra, source, folder.path())?;
    let source = source.file_name().context("a source has a name")?.to_string_lossy().into_owned();
    let subject = Subject { umbra, claim, exe, source, folder };
    let allowed = subject.claim.allowed();
    let object = subject.reach("with", &allowed)?;
    if let Some((outcome, reason)) = &subject.claim.outcome {
        let target = &object["programs"][0]["targets"][0];
        ensure!(target["outcome"] == outcome.name(), "{outcome} was expected: {object}");
        let said = target["reason"].as_str().unwrap_or_default();
        ensure!(said == reason, "the reason is `{said}`, not `{reason}`");
        return Ok(outcome.name().to_owned());
    }
    let mechanism = subject.claim.mechanism.context("neither a mechanism nor an outcome")?;
    subject.check_reached(&object, mechanism)?;
    let without: Vec<Mechanism> =
        allowed.into_iter().filter(|allowed| *allowed != mechanism).collect();
    let object = subject.reach("without", &without)?;
    let outcome = &object["programs"][0]["targets"][0]["outcome"];
    let is_missed = outcome == Sought::Missed.name() || outcome == Sought::Exhausted.name();
    ensure!(is_missed, "it is {outcome} without {mechanism}, too: {object}");
    Ok(format!("reached by {mechanism}, and not without"))
}

impl Subject<'_> {
    /// The object of the command with these mechanisms.
    fn reach(&self, name: &str, mechanisms: &[Mechanism]) -> anyhow::Result<Value> {
        let Self { umbra, claim, exe, source, folder } = self;
        let mut command = Command::new(umbra);
        command.args(["reach", "--quiet", "--json", "--output"]).arg(folder.path().join(name));
        command.args(["--max-instructions", &claim.instructions.to_string(), "--program"]).arg(exe);
        for mechanism in Mechanism::ALL.iter().filter(|it| !mechanisms.contains(it)) {
            command.args(["--without", mechanism.name()]);
        }
        if let Some(stdin) = &claim.stdin {
            let file = folder.path().join("stdin");
            fs::write(&file, stdin)?;
            command.arg("--stdin").arg(file);
        }
        command.arg(format!("{source}:{}", claim.line)).arg("--").args(&claim.seed);
        let outcome = run_within(command.stdin(Stdio::null()), TIME, MEMORY)?;
        let stderr = String::from_utf8_lossy(&outcome.stderr);
        let text = String::from_utf8_lossy(&outcome.stdout);
        let line = text.lines().last().with_context(|| format!("no object: {stderr}"))?;
        let object: Value = serde_json::from_str(line)?;
        ensure!(object.get("error").is_none(), "{object}");
        Ok(object)
    }

    fn check_reached(&self, object: &Value, mechanism: Mechanism) -> anyhow::Result<()> {
        let program = &object["programs"][0];
        let target = &program["targets"][0];
        ensure!(target["outcome"] == "reached", "not reached: {object}");
        let input = &target["inputs"][0];
        ensure!(input["confirmed"] == true, "not confirmed: {object}");
        let named = |it: &Value| it == mechanism.name();
        let mechanisms = input["mechanisms"].as_array().context("there are mechanisms")?;
        ensure!(mechanisms.iter().any(named), "not by {mechanism}: {object}");
        let case = input["case"].as_str().context("an input has a case")?;
        let case = self.folder.path().join("with").join(case);
        let written = Written { case: Case::read(&case)?, folder: case };
        let outcome = run_script(&written, &self.exe)?;
        let said = String::from_utf8_lossy(&outcome.stdout);
        ensure!(said.contains(WORD), "natively the input does not get there: {said}");
        if let Some(nearness) = &self.claim.error {
            let errors = program["errors"].as_array().context("there are errors")?;
            let is_there = errors.iter().any(|error| error["nearness"] == nearness.as_str());
            ensure!(is_there, "no error in the {nearness}: {object}");
        }
        Ok(())
    }
}
