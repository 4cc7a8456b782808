//! Null patches near a test: `umbra diff OLD NEW -- TEST` reports nothing of them.
//!
//! A test names its function by number. Around it are tests of other functions, which may well differ: what is
//! found there is not looked at.

use std::path::Path;

use anyhow::{Context, ensure};
use serde_json::Value;
use umbra_case::Case;

use super::Source;
use crate::symex::diff::follow_words;

/// The inputs of the tests.
const TESTS: [(i8, i8); 2] = [(3, -2), (-7, 0)];

/// Follows tests of the functions of a file that are the same, one of so many. Returns how many.
pub fn check(umbra: &Path, source: &Path, step: usize) -> anyhow::Result<(usize, Vec<String>)> {
    let source = Source::read(source)?;
    let folder = tempfile::tempdir()?;
    source.compile(umbra, folder.path())?;
    let exe =
        |side: &str| folder.path().join(side).join(&source.name).to_string_lossy().into_owned();
    let same = source.functions.iter().enumerate().filter(|(_, name)| name.starts_with("same_"));
    let (mut count, mut wrong) = (0, Vec::new());
    for (number, name) in same.step_by(step) {
        for (x, y) in TESTS {
            let object = |name: &str, value: i8| format!("{name}={:02x}", value.cast_unsigned());
            let words =
                ["--object".to_owned(), object("x", x), "--object".to_owned(), object("y", y)];
            let words =
                [&words[..], &[exe("old"), exe("new"), "--".to_owned(), number.to_string()]];
            let output = folder.path().join(format!("out-{number}-{x}"));
            let checked = follow_words(umbra, &words.concat(), &output).and_then(|diffed| {
                let mut found = Vec::new();
                for divergence in &diffed.divergences {
                    if functions_of(divergence, &output)?.contains(&(number as i64)) {
                        found.push(divergence);
                    }
                }
                ensure!(
                    found.is_empty(),
                    "near ({x}, {y}) {} are reported: {found:?}",
                    found.len()
                );
                let followed = diffed.object["seeds"]["followed"].as_u64().context("followed")?;
                ensure!(followed == 1, "near ({x}, {y}) the test was not followed");
                Ok(())
            });
            wrong.extend(checked.err().map(|error| format!("{name}: {error:#}")));
        }
        count += 1;
    }
    Ok((count, wrong))
}

/// The numbers of the functions that the test cases of a divergence call.
fn functions_of(divergence: &Value, output: &Path) -> anyhow::Result<Vec<i64>> {
    let more = divergence["more_cases"].as_array().context("a list of cases")?;
    let cases = [&divergence["case"]].into_iter().chain(more);
    let number = |case: &Value| {
        let case = case.as_str().context("a divergence has a test case")?;
        let case = Case::read(&output.join(case))?;
        Ok(case.arguments.first().map_or(0, |word| atoi(word)))
    };
    cases.map(number).collect()
}

/// A number as C's function of this name reads it.
fn atoi(word: &[u8]) -> i64 {
    let word = String::from_utf8_lossy(word);
    let word = word.trim_start_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r']);
    let digits = word.strip_prefix(['+', '-']).unwrap_or(word);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let number: i64 = digits[..end].parse().unwrap_or(0);
    if word.starts_with('-') { -number } else { number }
}
