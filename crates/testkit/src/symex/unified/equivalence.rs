//! Units: `umbra diff --complete --function f OLD NEW` on all pairs of integers.
//!
//! What it says is checked natively. If it says that two functions are equivalent, they do the same on inputs at the edges of
//! their types; if it reports a divergence with an effect, they differ on the input of its test case.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;
use umbra_case::Case;

use super::{Source, folder_of_headers};
use crate::symex::command::compile_with;
use crate::symex::diff::follow_words;
use crate::symex::input::Input;

/// How long one pair may take.
const TIME: &str = "20s";

/// Numbers at which functions are compared natively.
const EDGES: [i32; 16] =
    [i32::MIN, -1000, -129, -128, -13, -1, 0, 1, 2, 3, 7, 8, 127, 255, 1000, i32::MAX];

/// What was checked of one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// Pairs that were proved equivalent.
    pub equivalent: usize,
    /// Pairs on which an input shows a difference.
    pub different: usize,
    /// Pairs that part without an effect, as a proof.
    pub silent: usize,
    /// Pairs on which not all paths were followed.
    pub open: Vec<String>,
    /// The longest time that a pair took.
    pub longest: Duration,
    /// What is wrong.
    pub wrong: Vec<String>,
}

/// Checks the functions of a file, one of so many.
pub fn check(umbra: &Path, source: &Path, step: usize) -> anyhow::Result<Checked> {
    let source = Source::read(source)?;
    let folder = tempfile::tempdir()?;
    let include = format!("-I{}", folder_of_headers().to_string_lossy());
    let mut programs = Vec::new();
    for (side, text) in ["old", "new"].iter().zip(&source.texts) {
        let folder = folder.path().join(side);
        fs::create_dir_all(&folder)?;
        let file = folder.join(format!("{}.c", source.name));
        fs::write(&file, text.to_owned() + &main_text(&source.functions))?;
        programs.push(compile_with(umbra, &file, &folder, &[&include, "-fwrapv"])?);
    }
    let mut checked = Checked::default();
    for (number, name) in source.functions.iter().enumerate().step_by(step) {
        let output = folder.path().join(format!("out{number}"));
        if let Err(error) = one(umbra, &programs, (number, name), &output, &mut checked) {
            checked.wrong.push(format!("{name}: {error:#}"));
        }
    }
    Ok(checked)
}

fn one(
    umbra: &Path,
    programs: &[PathBuf],
    (number, name): (usize, &str),
    output: &Path,
    checked: &mut Checked,
) -> anyhow::Result<()> {
    let text = |path: &PathBuf| path.to_string_lossy().into_owned();
    let mut words: Vec<String> =
        ["--complete", "--max-time", TIME, "--function", name].map(str::to_owned).to_vec();
    words.extend(programs.iter().map(text));
    let start = Instant::now();
    let diffed = follow_words(umbra, &words, output)?;
    checked.longest = checked.longest.max(start.elapsed());
    let run = |inputs: &[(i32, i32)]| -> anyhow::Result<bool> {
        let old = native(&programs[0], number, inputs)?;
        Ok(old == native(&programs[1], number, inputs)?)
    };
    // Natively a division that both versions fail at is one signal, wherever it stands in their texts.
    let both_fail = |divergence: &Value| {
        let detail = divergence["detail"].as_str().unwrap_or_default();
        detail.contains("the new one fails") && detail.contains("the old one fails")
    };
    let shown = diffed
        .divergences
        .iter()
        .filter(|divergence| divergence["class"] != "same" && !both_fail(divergence));
    for divergence in shown.clone() {
        let case = divergence["case"].as_str().context("a divergence has a test case")?;
        let input = Input::of_case(&Case::read(&output.join(case))?);
        let numbers: Vec<i32> = input
            .objects
            .iter()
            .filter_map(|(_, bytes)| Some(i32::from_le_bytes(bytes.as_slice().try_into().ok()?)))
            .collect();
        let [x, y] = numbers[..] else { anyhow::bail!("{input:?} is no pair of integers") };
        ensure!(!run(&[(x, y)])?, "natively ({x}, {y}) makes no difference");
    }
    if shown.count() > 0 {
        checked.different += 1;
        return Ok(());
    }
    if diffed.object["complete"] != true {
        checked.open.push(name.to_owned());
        return Ok(());
    }
    let pairs = EDGES.iter().flat_map(|&x| EDGES.map(|y| (x, y)));
    ensure!(run(&pairs.collect::<Vec<_>>())?, "it is said to be equivalent, natively it differs");
    match diffed.divergences.is_empty() {
        true => checked.equivalent += 1,
        false => checked.silent += 1,
    }
    Ok(())
}

/// What a function prints and returns on each of the inputs, and how it ends.
fn native(program: &Path, number: usize, inputs: &[(i32, i32)]) -> anyhow::Result<Vec<u8>> {
    let mut command = Command::new(program);
    command.arg(number.to_string()).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.stderr(Stdio::null()).spawn()?;
    let bytes = inputs.iter().flat_map(|(x, y)| [x.to_le_bytes(), y.to_le_bytes()].concat());
    let bytes: Vec<u8> = bytes.collect();
    // Less than what a pipe holds, so that nobody waits.
    child.stdin.take().context("a pipe")?.write_all(&bytes)?;
    Ok(child.wait_with_output()?.stdout)
}

/// A `main` that reads inputs and calls a function on each, in a process of its own.
fn main_text(functions: &[String]) -> String {
    let table: Vec<String> = functions.iter().map(|name| format!("\t{name},\n")).collect();
    format!(
        "#include <sys/wait.h>\n\
         static int (*const catalogue[])(int, int) = {{\n{}}};\n\
         int main(int argc, char **argv)\n{{\n\
         \tint numbers[2];\n\
         \twhile (read(0, numbers, sizeof numbers) == sizeof numbers) {{\n\
         \t\tint status = 0;\n\
         \t\tif (fork() == 0) {{\n\
         \t\t\tint result = catalogue[atoi(argv[1])](numbers[0], numbers[1]);\n\
         \t\t\twrite(1, &result, sizeof result);\n\
         \t\t\t_exit(0);\n\
         \t\t}}\n\
         \t\twait(&status);\n\
         \t\twrite(1, &status, sizeof status);\n\
         \t}}\n\
         \treturn 0;\n}}\n",
        table.concat()
    )
}
