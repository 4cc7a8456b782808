//! The table of docs/unify-patches.md, from the results of `scripts/try-patches`.
//!
//! One line for each program of each patch, the one with the least lockstep first. Then what all come to, against
//! what is required; then what was left out, and why.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde_json::Value;

/// A program of a patch.
struct Row {
    package: String,
    tag: String,
    name: String,
    program: String,
    summary: Value,
}

impl Row {
    fn unification(&self, key: &str) -> u64 {
        self.summary["unification"][key].as_u64().unwrap_or(0)
    }

    fn lockstep(&self, key: &str) -> u64 {
        self.summary["lockstep"][key].as_u64().unwrap_or(0)
    }

    fn share(&self) -> f64 {
        self.summary["lockstep"]["share"].as_f64().unwrap_or(0.0)
    }

    fn seconds(&self) -> f64 {
        self.summary["unification"]["seconds"].as_f64().unwrap_or(0.0)
    }

    fn runs(&self) -> u64 {
        self.summary["seeds"]["followed"].as_u64().unwrap_or(0)
    }

    /// Places where tests part on their own paths: those that show nothing natively, and the others.
    fn partings(&self) -> (u64, u64) {
        let (mut spurious, mut real) = (0, 0);
        for line in self.summary["divergences"].as_array().into_iter().flatten() {
            if line["phase"] != "seed" {
                continue;
            }
            match line["native"].as_str() {
                Some("same" | "flaky") => spurious += 1,
                _ => real += 1,
            }
        }
        (spurious, real)
    }

    /// Places near the tests where something was found that can be seen natively.
    fn found(&self) -> usize {
        let lines = self.summary["divergences"].as_array().into_iter().flatten();
        lines.filter(|line| line["phase"] != "seed" && line["confirmed"] == true).count()
    }
}

/// Prints the table for a folder of results.
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
                "json" => rows.extend(read(&package_name, tag, &title, &text()?, &mut failed)?),
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
    print_sums(&rows, &failed);
    println!("\nLeft out:\n");
    for (reason, patches) in left_out {
        println!("- {reason}: {}", patches.join(", "));
    }
    Ok(())
}

/// The programs of a patch that were compared.
fn read(
    package: &str,
    tag: &str,
    title: &str,
    text: &str,
    failed: &mut Vec<String>,
) -> anyhow::Result<Vec<Row>> {
    let object: Value = serde_json::from_str(text)?;
    let mut rows = Vec::new();
    for program in object["programs"].as_array().into_iter().flatten() {
        let path = program["path"].as_str().unwrap_or_default().to_owned();
        if program["outcome"] == "failed" {
            let reason = program["reason"].as_str().unwrap_or_default();
            failed.push(format!("{package} {tag} {path} ({title}): {reason}"));
        }
        if program["summary"].is_object() {
            let (package, tag) = (package.to_owned(), tag.to_owned());
            let summary = program["summary"].clone();
            let name = title.to_owned();
            rows.push(Row { package, tag, name, program: path, summary });
        }
    }
    Ok(rows)
}

fn print_rows(rows: &[Row]) {
    println!(
        "| patch | program | fns | changed | rippled | 2x | added | removed | globals | changes | branches \
         | lockstep | apart | part | spurious | near | unify s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for row in rows {
        let count = |key: &str| row.unification(key);
        let (spurious, real) = row.partings();
        println!(
            "| {} {} {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {} | {:.2} % | {} | {} | {} | {} | {:.2} |",
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
            row.lockstep("partings"),
            real,
            spurious,
            row.found(),
            row.seconds()
        );
    }
}

fn print_sums(rows: &[Row], failed: &[String]) {
    let sum = |count: &dyn Fn(&Row) -> u64| rows.iter().map(count).sum::<u64>();
    let both = sum(&|row| row.lockstep("both"));
    let alone = sum(&|row| row.lockstep("old") + row.lockstep("new"));
    // An instruction of both counts for each of them.
    let share = 200.0 * both as f64 / (2 * both + alone).max(1) as f64;
    let good = rows.iter().filter(|row| row.share() >= 0.95).count();
    let (changed, copies) =
        (sum(&|row| row.unification("changed")), sum(&|row| row.unification("two_copies")));
    let (spurious, runs) = (sum(&|row| row.partings().0), sum(&Row::runs));
    let slowest = rows.iter().max_by(|a, b| a.seconds().total_cmp(&b.seconds()));
    let mut patches: Vec<_> = rows.iter().map(|row| (&row.package, &row.tag)).collect();
    patches.sort();
    patches.dedup();
    let mut packages: Vec<_> = patches.iter().map(|(package, _)| package).collect();
    packages.dedup();
    println!("\n| what | required | measured |\n|---|---|---|");
    let (patches, packages) = (patches.len(), packages.len());
    println!("| patches compared | 60 | {patches}, of {packages} packages |");
    println!("| unifications that failed | 0 | {} |", failed.len());
    println!("| changed functions kept as two copies | at most 5 % | {copies} of {changed} |");
    println!("| instructions in lockstep before the first divergence | 99 % | {share:.2} % |");
    println!("| programs with at least 95 % | 9 of 10 | {good} of {} |", rows.len());
    println!(
        "| places where tests part without a visible effect | at most 2 % of runs | {spurious}, in {runs} runs |"
    );
    if let Some(row) = slowest {
        let (seconds, package) = (row.seconds(), &row.package);
        println!(
            "| slowest unification | 2 s for patch, 10 s for the largest | {seconds:.2} s ({package} {}) |",
            row.tag
        );
    }
    for line in failed {
        println!("\nFailed: {line}");
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
