//! The suite: which cases there are, which of them to run, and running them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context, Result, bail, ensure};

use super::case::{self, Program};
use super::run::{self, Compared, Place, Settings};
use super::table::Table;

/// Programs of coreutils that run by default; every other package but diffutils is left to the full
/// suite.
const SMALL: [&str; 10] = ["cat", "cut", "echo", "head", "ls", "mkdir", "rm", "sort", "tail", "wc"];

/// Which cases to run.
#[derive(Debug, PartialEq, Eq)]
pub enum Choice {
    /// Diffutils, and a few programs of coreutils.
    Small,
    /// All.
    Full,
    /// A package, a program, or one case of a program: `cut/fields with a delimiter`.
    Named(String),
}

/// Reads all cases below `tests/differential`.
pub fn load(folder: &Path) -> Result<Vec<Program>> {
    let mut programs = Vec::new();
    for package in entries(folder)?.into_iter().filter(|path| path.is_dir()) {
        for file in entries(&package)? {
            if file.extension().is_some_and(|ending| ending == "cases") {
                let text = fs::read_to_string(&file)?;
                let mut program =
                    case::parse(&name(&package), &name(&file.with_extension("")), &text)?;
                program.folder.clone_from(&package);
                programs.push(program);
            }
        }
    }
    ensure!(!programs.is_empty(), "no cases below {}", folder.display());
    Ok(programs)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<_> = entries.map(|entry| Ok(entry?.path())).collect::<Result<_>>()?;
    paths.sort();
    Ok(paths)
}

fn name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Keeps the chosen cases.
pub fn choose(programs: &mut Vec<Program>, choice: &Choice) {
    for program in &mut *programs {
        let Program { package, name, cases, .. } = program;
        cases.retain(|case| match choice {
            Choice::Full => true,
            Choice::Small => {
                package == "diffutils" || package == "coreutils" && SMALL.contains(&name.as_str())
            }
            Choice::Named(wanted) => {
                [&*package, &*name].contains(&wanted) || *wanted == format!("{name}/{}", case.title)
            }
        });
    }
    programs.retain(|program| !program.cases.is_empty());
}

/// Builds the packages of some programs with `scripts/build-package`; their folders by name.
pub fn build(
    root: &Path,
    settings: &Settings,
    programs: &[Program],
) -> Result<BTreeMap<String, PathBuf>> {
    let mut built = BTreeMap::new();
    for Program { package, .. } in programs {
        if !built.contains_key(package) {
            let script = root.join("scripts/build-package");
            let output = Command::new(&script)
                .arg(package)
                .env("UMBRA", &settings.umbra)
                .env("UMBRA_CACHE", &settings.cache)
                .stderr(std::process::Stdio::inherit())
                .output()
                .with_context(|| format!("cannot run {}", script.display()))?;
            ensure!(output.status.success(), "cannot build {package}");
            built.insert(
                package.clone(),
                PathBuf::from(String::from_utf8(output.stdout)?.trim_end()),
            );
        }
    }
    Ok(built)
}

/// Runs the cases of all these programs on some workers. Failures are printed as they come.
pub fn run(
    settings: &Settings,
    programs: &[Program],
    built: &BTreeMap<String, PathBuf>,
    workers: usize,
) -> Result<Table> {
    let jobs: Vec<(usize, usize)> = programs
        .iter()
        .enumerate()
        .flat_map(|(program, Program { cases, .. })| {
            (0..cases.len()).map(move |case| (program, case))
        })
        .collect();
    let next = AtomicUsize::new(0);
    let table = Mutex::new(Table::new(programs, built));
    thread::scope(|scope| {
        let work = || -> Result<()> {
            let place = Place::new()?;
            while let Some(&(program_index, case)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
            {
                let program = &programs[program_index];
                let case = &program.cases[case];
                let build = built.get(&program.package).context("a package that was not built")?;
                let compared = run::run(settings, &place, program, build, case);
                let label = format!("{}/{}", program.name, case.title);
                report(&label, &case.run, &compared);
                let mut table = table.lock().map_err(|_| anyhow::anyhow!("a worker panicked"))?;
                table.add(program_index, case, compared.ok())?;
            }
            Ok(())
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        for thread in threads {
            match thread.join() {
                Ok(result) => result?,
                Err(_) => bail!("a worker panicked"),
            }
        }
        Ok(())
    })?;
    table.into_inner().map_err(|_| anyhow::anyhow!("a worker panicked"))
}

fn report(label: &str, line: &str, compared: &Result<Compared>) {
    let problems = match compared {
        Ok(compared) => compared.differences.clone(),
        Err(error) => vec![format!("{error:#}")],
    };
    if problems.is_empty() {
        return;
    }
    let quoted = label.replace('\'', "'\\''");
    println!("FAILED {label}\n  {line}");
    for problem in problems {
        println!("  {}", problem.trim_end());
    }
    println!("  again: UMBRA_CASE='{quoted}' cargo test -p testkit --test differential\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(choice: Choice) -> Vec<String> {
        let parse = |package, name: &str| {
            case::parse(package, name, &format!("== a\nrun: {name}\n== b\nrun: {name} x\n"))
                .unwrap()
        };
        let mut programs =
            vec![parse("coreutils", "cut"), parse("coreutils", "tr"), parse("diffutils", "cmp")];
        choose(&mut programs, &choice);
        programs.iter().map(|program| format!("{} {}", program.name, program.cases.len())).collect()
    }

    #[test]
    fn choices() {
        assert_eq!(chosen(Choice::Small), ["cut 2", "cmp 2"]);
        assert_eq!(chosen(Choice::Full), ["cut 2", "tr 2", "cmp 2"]);
        assert_eq!(chosen(Choice::Named("coreutils".into())), ["cut 2", "tr 2"]);
        assert_eq!(chosen(Choice::Named("tr".into())), ["tr 2"]);
        assert_eq!(chosen(Choice::Named("tr/b".into())), ["tr 1"]);
    }
}
