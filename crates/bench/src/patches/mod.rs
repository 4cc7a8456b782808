//! The table of docs/unify-patches.md, from the results of `scripts/try-patches`.
//!
//! One line for each program of each patch, the one with the least lockstep first. Then what all come to, against
//! what is required; then what was left out, and why.

mod row;
mod verdict;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

use row::Row;

/// Prints the table for a folder of results. An error is a requirement that does not hold.
pub fn run(results: &Path) -> anyhow::Result<()> {
    let (mut rows, mut left_out, mut failed) = (Vec::new(), BTreeMap::new(), Vec::new());
    for package in entries(results)? {
        let package_name = file_name(&package);
        for path in entries(&package)? {
            let name = file_name(&path);
            let Some((tag, end)) = name.split_once('.') else { continue };
            let title = fs::read_to_string(package.join(format!("{tag}.name")));
            let title = title.unwrap_or_default().trim().to_owned();
            let text = || fs::read_to_string(&path).with_context(|| format!("reading {name}"));
            match end {
                "json" => {
                    let replayed = fs::read_to_string(package.join(format!("{tag}.replay.json")));
                    let replayed = replayed.ok().and_then(|text| serde_json::from_str(&text).ok());
                    let patch = Patch { package: &package_name, tag, title: &title };
                    let replayed = replayed.unwrap_or_default();
                    rows.extend(patch.read(&text()?, &replayed, &mut failed)?);
                }
                "left-out" => {
                    let reason = text()?.trim().to_owned();
                    let all: &mut Vec<String> = left_out.entry(reason).or_default();
                    all.push(format!("{package_name} {tag} ({title})"));
                }
                "failed" => {
                    failed.push(format!("{package_name} {tag} ({title}): {}", text()?.trim()));
                }
                _ => {}
            }
        }
    }
    if rows.is_empty() {
        bail!("{} has no results: run scripts/try-patches", results.display());
    }
    rows.sort_by(|a: &Row, b: &Row| a.share().total_cmp(&b.share()));
    print_rows(&rows);
    let requirements = verdict::requirements(&rows, failed.len());
    println!("\n| what | required | measured | |\n|---|---|---|---|");
    for verdict::Requirement { what, required, measured, holds } in &requirements {
        let verdict = if *holds { "holds" } else { "**missed**" };
        println!("| {what} | {required} | {measured} | {verdict} |");
    }
    for line in &failed {
        println!("\nFailed: {line}");
    }
    println!("\nLeft out:\n");
    for (reason, patches) in left_out {
        println!("- {reason}: {}", patches.join(", "));
    }
    let missed: Vec<&str> =
        requirements.iter().filter(|one| !one.holds).map(|one| one.what).collect();
    if !missed.is_empty() {
        bail!("missed: {}", missed.join("; "));
    }
    Ok(())
}

/// A patch of a package.
struct Patch<'a> {
    package: &'a str,
    tag: &'a str,
    title: &'a str,
}

impl Patch<'_> {
    /// Its programs that were compared.
    fn read(
        &self,
        text: &str,
        replayed: &Value,
        failed: &mut Vec<String>,
    ) -> anyhow::Result<Vec<Row>> {
        let Self { package, tag, title } = *self;
        let object: Value = serde_json::from_str(text)?;
        let mut rows = Vec::new();
        for program in object["programs"].as_array().into_iter().flatten() {
            let path = program["path"].as_str().unwrap_or_default().to_owned();
            if program["outcome"] == "failed" {
                let reason = program["reason"].as_str().unwrap_or_default();
                failed.push(format!("{package} {tag} {path} ({title}): {reason}"));
            }
            if program["summary"].is_object() {
                rows.push(Row {
                    package: package.to_owned(),
                    tag: tag.to_owned(),
                    name: title.to_owned(),
                    summary: program["summary"].clone(),
                    differing: row::differing(replayed, &path),
                    program: path,
                });
            }
        }
        Ok(rows)
    }
}

fn print_rows(rows: &[Row]) {
    println!(
        "| patch | program | fns | changed | rippled | 2x | added | removed | globals | changes | branches \
         | lockstep | apart | tests | differ | part | spurious | near | unify s |"
    );
    println!("|{}", "---|".repeat(19));
    for row in rows {
        let count = |key: &str| row.unification(key);
        let (real, spurious) = row.partings();
        println!(
            "| {} {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2} % | {} | {} | {} | {} | {} | {} | {:.2} |",
            row.package,
            row.tag,
            row.name,
            row.program,
            count("shared"),
            count("changed"),
            count("rippled"),
            count("two_copies"),
            count("added"),
            count("removed"),
            count("globals"),
            count("changes"),
            count("version_branches"),
            row.share() * 100.0,
            row.apart(),
            row.runs(),
            row.differing.len(),
            real,
            spurious,
            row.found(),
            row.seconds()
        );
    }
}

/// What a folder holds, sorted.
fn entries(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).with_context(|| format!("reading {}", folder.display()))?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<anyhow::Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn file_name(path: &Path) -> String {
    path.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}
