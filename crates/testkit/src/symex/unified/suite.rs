//! The suite `unify`: everything that is checked of two versions that become one by themselves.
//!
//! By default all hand-written pairs and annotated programs whose natives are quick, a share of what goes
//! through the command line, and twenty generated edits; `full` does all, and several hundred edits.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::Context;

use super::super::suite::programs;
use super::{Checked, annotated, check, edited, equivalence, harmless, nulls, rewritten, together};
use crate::filetest::two_at_a_time;
use crate::generate::suite::Wanted;

/// What is run.
pub struct Asked<'a> {
    /// The command.
    pub umbra: &'a Path,
    /// All of it.
    pub full: bool,
    /// A part of the path of what is wanted.
    pub filter: &'a str,
    /// The edits that are wanted, if somebody says.
    pub edits: Option<Wanted>,
}

/// Of the annotated programs, one of so many is checked if not all are.
const ANNOTATED_STEP: usize = 4;
/// Of the functions that go through the command line, one of so many.
const COMMAND_STEP: usize = 6;
/// Generated edits.
const EDITS: u64 = 20;
const ALL_EDITS: u64 = 400;

/// Null patches at most that are reported, without an effect, in a hundred.
const SILENT_AT_MOST: usize = 5;

/// Functions of which the proof accepts some damage, by file.
const HARMLESS: &[(&str, &[&str])] = &[
    ("conditions", &["diff_and_or", "diff_falls_through"]),
    ("floats", &["same_float_widened"]),
    ("hunks", &["diff_exchanged_effects"]),
    ("switches", &["diff_goto_out_of_loops", "diff_returns_merged"]),
];

/// Runs the suite: what is wrong.
pub fn run(asked: &Asked<'_>) -> anyhow::Result<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let wanted = |folder: &str| -> anyhow::Result<Vec<PathBuf>> {
        let mut sources = programs(&root.join(folder))?;
        sources.retain(|source| source.to_string_lossy().contains(asked.filter));
        Ok(sources)
    };
    let sources = wanted("tests/unify")?;
    let mut annotated = wanted("tests/shadow")?;
    if !asked.full && asked.filter.is_empty() {
        annotated = annotated.into_iter().step_by(ANNOTATED_STEP).collect();
    }
    let step = if asked.full { 1 } else { COMMAND_STEP };
    let units = wanted("tests/unify/units")?;
    let mut wrong = pairs(asked, &[&sources[..], &units].concat())?;
    wrong.extend(each(&sources, "near tests", |source| nulls_line(asked, source, step)));
    wrong.extend(each(&sources, "units", |source| units_line(asked, source, step)));
    wrong.extend(each(&sources, "accepted damage", |source| harmless_line(asked, source)));
    wrong.extend(each(&wanted("tests/unify/programs")?, "rewritten", |source| {
        let (count, wrong) = rewritten::check(asked.umbra, source)?;
        Ok((format!("{count:3} tests"), wrong))
    }));
    wrong.extend(each(&wanted("tests/unify/patches")?, "together", |source| {
        let (share, wrong) = together::check(asked.umbra, source)?;
        Ok((format!("{share:.2} % in lockstep"), wrong))
    }));
    wrong.extend(each(&annotated, "annotated", |source| annotated_line(asked, source)));
    if asked.filter.is_empty() || asked.edits.is_some() {
        wrong.extend(edits(asked)?);
    }
    Ok(wrong)
}

/// What is said of one program, and what is wrong with it.
type Line = (String, Vec<String>);

/// Checks programs, two at a time: what is wrong.
fn each(
    sources: &[PathBuf],
    what: &str,
    check: impl Fn(&Path) -> anyhow::Result<Line> + Sync,
) -> Vec<String> {
    let lines = two_at_a_time(sources.len(), |at| {
        let start = Instant::now();
        let name = sources[at].file_stem().unwrap_or_default().to_string_lossy();
        let (line, wrong) = match check(&sources[at]) {
            Ok((line, wrong)) => (line, wrong),
            Err(error) => (String::new(), vec![format!("{error:#}")]),
        };
        let seconds = start.elapsed().as_secs_f64();
        if !line.is_empty() {
            println!("{name:24} {what}: {line} {seconds:6.1} s");
        }
        wrong.into_iter().map(|text| format!("{name}, {what}: {text}")).collect::<Vec<_>>()
    });
    lines.into_iter().flatten().collect()
}

/// All pairs, and how many of the null patches are reported.
fn pairs(asked: &Asked<'_>, sources: &[PathBuf]) -> anyhow::Result<Vec<String>> {
    let all = std::sync::Mutex::new(Checked::default());
    let mut wrong = each(sources, "pairs", |source| {
        let found = check(asked.umbra, source)?;
        let Checked { different, same, reported, divergent, share, silent, passed, wrong } = &found;
        let line = format!(
            "{different:3} differ, {same:3} do not ({reported} reported), {divergent:6} divergent inputs, \
             {silent:3} silent paths, share {share}; {} runs pass {} instructions, {} mutants found",
            passed.runs, passed.instructions, passed.caught
        );
        let wrong = wrong.clone();
        let mut all = all.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        all.different += different;
        all.same += same;
        all.reported += reported;
        Ok((line, wrong))
    });
    let all = all.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!(
        "{} pairs differ, {} do not, {} of these are reported",
        all.different, all.same, all.reported
    );
    if asked.filter.is_empty() && all.reported * 100 > all.same * SILENT_AT_MOST {
        wrong.push(format!("{} of {} null patches are reported", all.reported, all.same));
    }
    Ok(wrong)
}

fn nulls_line(asked: &Asked<'_>, source: &Path, step: usize) -> anyhow::Result<Line> {
    let (count, wrong) = nulls::check(asked.umbra, source, step)?;
    Ok(match count {
        0 => (String::new(), wrong),
        _ => (format!("{count:3} null patches"), wrong),
    })
}

fn units_line(asked: &Asked<'_>, source: &Path, step: usize) -> anyhow::Result<Line> {
    let equivalence::Checked { equivalent, different, silent, open, longest, wrong } =
        equivalence::check(asked.umbra, source, step)?;
    let open =
        if open.is_empty() { String::new() } else { format!(" (open: {})", open.join(", ")) };
    let line = format!(
        "{equivalent:3} equivalent, {different:3} with a witness, {silent} without effect, longest {:.1} s{open}",
        longest.as_secs_f64()
    );
    Ok((line, wrong))
}

fn harmless_line(asked: &Asked<'_>, source: &Path) -> anyhow::Result<Line> {
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let Some((_, functions)) = HARMLESS.iter().find(|(file, _)| *file == name) else {
        return Ok((String::new(), Vec::new()));
    };
    let (count, wrong) = harmless::check(asked.umbra, source, functions)?;
    Ok((format!("{count:3} do what they should"), wrong))
}

fn annotated_line(asked: &Asked<'_>, source: &Path) -> anyhow::Result<Line> {
    if let Some(why) = annotated::left_out(source)? {
        return Ok((format!("left out: {why}"), Vec::new()));
    }
    let annotated::Checked { divergent, parting, unseen, spurious } =
        annotated::check(asked.umbra, source)?;
    let line = format!(
        "{divergent:6} divergent inputs, {parting:6} part, {unseen:4} unseen, {spurious:4} spurious"
    );
    let wrong = match spurious {
        0 => Vec::new(),
        _ => vec![format!("on {spurious} inputs the plain versions part for nothing")],
    };
    Ok((line, wrong))
}

/// Generated edits.
fn edits(asked: &Asked<'_>) -> anyhow::Result<Vec<String>> {
    let count = if asked.full { ALL_EDITS } else { EDITS };
    let Wanted { seed, count, .. } =
        asked.edits.unwrap_or(Wanted { seed: 1, count, full: asked.full });
    let seeds: Vec<u64> = (seed..seed + count).collect();
    let start = Instant::now();
    let Checked { different, same, divergent, silent, wrong, .. } =
        edited::check(asked.umbra, &seeds)?;
    println!(
        "edits {seed} to {}: {different} differ, {same} do not, {divergent} divergent inputs, {silent} silent \
         paths, {} wrong {:6.1} s",
        seed + count - 1,
        wrong.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(wrong)
}
