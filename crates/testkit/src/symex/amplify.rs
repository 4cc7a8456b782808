//! Programs that their tests only visit (`tests/amplify`): `umbra amplify` must find what is marked, from the test that the program
//! names, at exactly the distance it says, by as few changed bytes as it says.
//!
//! Nothing is believed: the finding must be confirmed natively, the distance before must bring nothing, and where two bytes are
//! changed, no input with one changed byte may show the error natively.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use serde_json::Value;
use umbra_case::{Case, Entry, Stdin};
use umbra_words::Fault;

use super::command::compile;
use super::native::{Sanitizer, run_case};
use super::nursery::Faulty;
use super::planted::Planted;
use crate::filetest::directives::split_words;
use crate::filetest::process::{Outcome, run};

const LIMIT: Duration = Duration::from_secs(120);

/// Instructions for each test: the clock decides nothing.
const INSTRUCTIONS: &str = "3000000";

/// The same in a real program.
const PLANTED: &str = "300000000";

/// How far is looked, beyond what is expected.
const FURTHER: u32 = 2;

/// What a program says of itself.
#[derive(Debug, Default)]
struct Claims {
    /// The test.
    test: Case,
    /// More flags.
    flags: Vec<String>,
    finds: Vec<Claim>,
}

/// An error that is to be found.
#[derive(Debug, PartialEq, Eq)]
struct Claim {
    kind: String,
    line: u64,
    distance: u32,
    changed: u64,
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Checked {
    /// Errors found, and confirmed.
    pub findings: usize,
    /// Inputs that were run natively to see that fewer changes do not do.
    pub brute: usize,
}

/// Checks a program; with `brute`, also that fewer changes do not do.
pub fn check(
    umbra: &Path,
    sanitizer: &Sanitizer,
    source: &Path,
    brute: bool,
) -> anyhow::Result<Checked> {
    let claims = Claims::parse(&fs::read_to_string(source)?)?;
    let folder = tempfile::tempdir()?;
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let case = folder.path().join("case");
    claims.test.write(&case)?;
    // Both once, not for each distance.
    let exe = compile(umbra, source, folder.path())?;
    let indices = sanitizer.compile_checking_indices(source, &format!("{name}-amplify"))?;
    let mut flags = claims.flags.clone();
    flags.extend(["--sanitized".to_owned(), indices.to_string_lossy().into_owned()]);
    let farthest = claims.finds.iter().map(|claim| claim.distance).max().unwrap_or(FURTHER);
    for distance in 0..=farthest + FURTHER {
        let found = amplify(umbra, &exe, (&case, &flags, INSTRUCTIONS), distance, folder.path())?;
        let mut expected: Vec<&Claim> =
            claims.finds.iter().filter(|claim| claim.distance <= distance).collect();
        expected.sort_by_key(|claim| claim.line);
        let mut claimed: Vec<Claim> = found.iter().map(claim_of).collect::<Result<_, _>>()?;
        claimed.sort_by_key(|claim| claim.line);
        ensure!(
            claimed.iter().eq(expected.iter().copied()),
            "up to distance {distance}: found {claimed:?} instead of {expected:?}"
        );
        for finding in &found {
            let native = finding["native"].as_str().unwrap_or_default();
            let detail = &finding["native_detail"];
            ensure!(matches!(native, "crash" | "sanitizer"), "{native}: {detail}");
            ensure!(finding["least"] == true, "not known to be the fewest changes: {finding}");
        }
    }
    let mut checked = Checked { findings: claims.finds.len(), brute: 0 };
    if brute && claims.finds.iter().any(|claim| claim.changed == 2) {
        for case in one_byte_away(&claims.test) {
            let outcome = run_case(&indices, &case)?;
            ensure!(!is_wrong(&outcome), "one changed byte is enough: {:?}", case.arguments);
            checked.brute += 1;
        }
    }
    Ok(checked)
}

/// A fault that was planted into a real program, and a test that passes near it.
pub struct Near {
    /// The program.
    pub program: String,
    distance: u32,
    changed: u64,
    test: Case,
}

impl Near {
    /// Reads the list: a line has the program, distance, changed bytes, standard input and arguments.
    pub fn parse(text: &str) -> anyhow::Result<Vec<Self>> {
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let near = lines.map(|line| {
            let words = split_words(line)?;
            let [program, distance, changed, stdin, arguments @ ..] = &words[..] else {
                bail!("not `PROGRAM DISTANCE CHANGED STDIN ARGUMENTS`: {line}");
            };
            Ok(Self {
                program: program.clone(),
                distance: distance.parse()?,
                changed: changed.parse()?,
                test: Case {
                    program: program.clone().into_bytes(),
                    arguments: arguments.iter().map(|word| word.clone().into_bytes()).collect(),
                    stdin: Stdin::Pipe(bytes(stdin)?),
                    ..Case::default()
                },
            })
        });
        near.collect()
    }

    /// The planted fault must be found from the test at its distance and not before, by as few changed bytes as is said, and a
    /// build with sanitizers must show it.
    pub fn check(&self, umbra: &Path, planted: &Planted, faulty: &Faulty) -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let case = folder.path().join("case");
        self.test.write(&case)?;
        let sanitized = faulty.checking().to_string_lossy().into_owned();
        let flags = ["--sanitized".to_owned(), sanitized];
        let find = |distance| {
            let what = (&*case, &flags[..], PLANTED);
            let found = amplify(umbra, &faulty.exe, what, distance, folder.path())?;
            anyhow::Ok(found.into_iter().find(|finding| planted.is(&fault(finding))))
        };
        if let Some(before) = self.distance.checked_sub(1) {
            ensure!(find(before)?.is_none(), "found at distance {before} already");
        }
        let found = find(self.distance)?.context("not found")?;
        let claim = (found["distance"].as_u64(), found["changed_bytes"].as_u64());
        ensure!(claim == (Some(self.distance.into()), Some(self.changed)), "{claim:?}");
        let native = found["native"].as_str().unwrap_or_default();
        ensure!(matches!(native, "crash" | "sanitizer"), "{native}: {}", found["native_detail"]);
        Ok(())
    }
}

fn fault(finding: &Value) -> Fault {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let calls = finding["stack"].as_array().into_iter().flatten();
    let (kind, stack) = (text(&finding["kind"]), calls.map(text).collect());
    Fault { kind, stack, ..Fault::default() }
}

/// The findings of `umbra amplify` up to a distance.
fn amplify(
    umbra: &Path,
    program: &Path,
    (case, flags, instructions): (&Path, &[String], &str),
    distance: u32,
    folder: &Path,
) -> anyhow::Result<Vec<Value>> {
    let mut command = Command::new(umbra);
    command.arg("amplify").arg(program).arg("--case").arg(case).args(flags);
    command.args(["--json", "--quiet", "--max-instructions", instructions, "--distance"]);
    command.arg(distance.to_string()).arg("--output").arg(folder.join(distance.to_string()));
    let outcome = run(command.current_dir(folder), LIMIT)?;
    let text = String::from_utf8_lossy(&outcome.stdout).into_owned();
    let report = String::from_utf8_lossy(&outcome.stderr).into_owned();
    let object: Value = serde_json::from_str(text.lines().last().unwrap_or_default())
        .with_context(|| format!("umbra amplify ended with {}: {report}", outcome.code()))?;
    let findings = object["findings"].as_array().context("there are findings")?.clone();
    ensure!(outcome.code() == i32::from(!findings.is_empty()), "{}: {report}", outcome.code());
    ensure!(
        object["left_out"].as_object().is_some_and(|out| {
            out.keys().all(|what| !what.contains("bug") && !what.contains("failure"))
        }),
        "{}",
        object["left_out"]
    );
    Ok(findings)
}

fn claim_of(finding: &Value) -> anyhow::Result<Claim> {
    let number = |key: &str| finding[key].as_u64().context("a number");
    Ok(Claim {
        kind: finding["kind"].as_str().unwrap_or_default().to_owned(),
        line: number("line")?,
        distance: number("distance")? as u32,
        changed: number("changed_bytes")?,
    })
}

impl Claims {
    fn parse(text: &str) -> anyhow::Result<Self> {
        let mut this = Self {
            test: Case { program: b"program".to_vec(), ..Case::default() },
            ..Self::default()
        };
        let mut marks =
            (1..).zip(text.lines()).filter(|(_, line)| line.contains("//~")).map(|(at, _)| at);
        for line in text.lines() {
            let Some(directive) = line.trim_start().strip_prefix("//@") else { continue };
            let (name, value) = directive.split_once(':').context("a directive has a name")?;
            let value = value.trim();
            match name.trim() {
                "args" => {
                    let words = split_words(value)?;
                    this.test.arguments.extend(words.into_iter().map(String::into_bytes));
                }
                "stdin" => this.test.stdin = Stdin::Pipe(bytes(value)?),
                "file" => {
                    let (path, content) = value.split_once(' ').context("a name and bytes")?;
                    this.test.tree.push(Entry::file(path, bytes(content)?));
                }
                "flags" => this.flags.extend(split_words(value)?),
                "finds" if value == "nothing" => {}
                "finds" => {
                    let words: Vec<&str> = value.split_whitespace().collect();
                    let [kind, "distance", distance, "changed", changed] = words[..] else {
                        bail!("not `KIND distance N changed N`: {value}");
                    };
                    this.finds.push(Claim {
                        kind: kind.to_owned(),
                        line: marks.next().context("a mark for each finding")?,
                        distance: distance.parse()?,
                        changed: changed.parse()?,
                    });
                }
                other => bail!("no directive is called {other}"),
            }
        }
        ensure!(marks.next().is_none(), "more marks than findings");
        Ok(this)
    }
}

/// Text with `\\xHH` and `\\n`.
fn bytes(text: &str) -> anyhow::Result<Vec<u8>> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        rest = match (first, tail) {
            (b'\\', [b'n', tail @ ..]) => {
                bytes.push(b'\n');
                tail
            }
            (b'\\', [b'x', high, low, tail @ ..]) => {
                let digits = [*high, *low];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits)?, 16)?);
                tail
            }
            _ => {
                bytes.push(*first);
                tail
            }
        };
    }
    Ok(bytes)
}

/// All inputs that differ from the test in one byte of an argument or of standard input.
fn one_byte_away(test: &Case) -> Vec<Case> {
    let mut cases = Vec::new();
    for index in 0..test.arguments.len() {
        for at in 0..test.arguments[index].len() {
            for value in 1..=255 {
                let mut case = test.clone();
                case.arguments[index][at] = value;
                cases.push(case);
            }
        }
    }
    if let Stdin::Pipe(input) = &test.stdin {
        for at in 0..input.len() {
            for value in 0..=255 {
                let mut changed = input.clone();
                changed[at] = value;
                cases.push(Case { stdin: Stdin::Pipe(changed), ..test.clone() });
            }
        }
    }
    cases
}

fn is_wrong(outcome: &Outcome) -> bool {
    let report = String::from_utf8_lossy(&outcome.stderr).into_owned();
    outcome.signal().is_some()
        || report.contains("ERROR: AddressSanitizer")
        || report.contains("runtime error:")
}
