//! Several generated programs, compiled together: linking with the libc takes longer than all else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, ensure};
use umbra_engine::Termination;

use super::tree::Program;
use crate::filetest::directives::Finding;
use crate::filetest::process::two_at_a_time;
use crate::symex::directives::Directives;
use crate::symex::domain::ensure_small;
use crate::symex::enumerate::Enumerator;
use crate::symex::enumerated::Share;
use crate::symex::exhaustive::{Checked, Effort, Subject, ensure_complete};
use crate::symex::explore::{Exploration, Manner, load, world};
use crate::symex::native::{Sanitizer, reported};
use crate::symex::observed::{Natives, Observed};

/// What programs are checked with.
pub struct Bench<'a> {
    /// The command.
    pub umbra: &'a Path,
    /// The compiler with sanitizers.
    pub sanitizer: &'a Sanitizer,
    /// How long one program may be explored.
    pub time: Duration,
    /// Inputs that run natively.
    pub plain: Share,
    /// Those that run with sanitizers.
    pub checked: Share,
    /// Of the inputs on which an error is predicted, so many do as well.
    pub errors: usize,
}

/// What came of one program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// All is as predicted.
    Fine(Checked),
    /// Not all of it was explored, and the run says so.
    Cut(String),
    /// What is wrong.
    Wrong(String),
}

/// Checks programs that are compiled together. One that cannot be compiled is wrong, and so are then
/// all.
pub fn check(bench: &Bench<'_>, programs: &[Program]) -> Vec<Verdict> {
    let all = |error: anyhow::Error| {
        vec![Verdict::Wrong(format!("not compiled: {error:#}")); programs.len()]
    };
    match Batch::compile(bench, programs) {
        Err(error) => all(error),
        Ok(batch) => two_at_a_time(programs.len(), |at| {
            batch
                .check(bench, at, &programs[at])
                .unwrap_or_else(|error| Verdict::Wrong(format!("{error:#}")))
        }),
    }
}

/// The errors that sanitizers report on the inputs of a program.
pub fn errors(bench: &Bench<'_>, program: &Program) -> anyhow::Result<BTreeSet<Finding>> {
    let batch = Batch::compile(bench, std::slice::from_ref(program))?;
    let directives = Directives::parse(&program.text())?;
    let domain = directives.domain.context("there is no domain")?;
    let name = name(0);
    let observed = Observed::new(&batch.natives, &name, &[], &domain);
    let outcomes = observed.checked_on(&bench.plain.inputs(&domain))?;
    Ok(outcomes.iter().filter_map(|outcome| reported(outcome, &format!("{name}.c"))).collect())
}

struct Batch {
    program: Arc<umbra_ir::Program>,
    natives: Natives,
    _folder: tempfile::TempDir,
}

/// The name of a program in its batch; also that of its source.
fn name(at: usize) -> String {
    format!("generated{at}")
}

impl Batch {
    fn compile(bench: &Bench<'_>, programs: &[Program]) -> anyhow::Result<Self> {
        let folder = tempfile::tempdir()?;
        let path = |name: String| folder.path().join(name);
        fs::write(path("dispatch.c".to_owned()), dispatcher(programs.len()))?;
        fs::write(path("start.c".to_owned()), START)?;
        for (at, program) in programs.iter().enumerate() {
            fs::write(path(format!("{}.c", name(at))), program.text())?;
        }
        let names: Vec<String> =
            (0..programs.len()).map(name).chain(["dispatch".to_owned()]).collect();
        let compiled = two_at_a_time(names.len(), |at| {
            let (source, main) = (path(format!("{}.c", names[at])), format!("{}_main", names[at]));
            let (plain, checking) =
                (path(format!("{}.o", names[at])), path(format!("{}.checking.o", names[at])));
            let mut command = Command::new(bench.umbra);
            command.args(["cc", "-g", "-w", "-c"]).arg(format!("-Dmain={main}")).arg(&source);
            succeed(command.arg("-o").arg(&plain))?;
            bench.sanitizer.compile_object(&source, &main, &checking)?;
            anyhow::Ok((plain, checking))
        });
        let compiled: Vec<(PathBuf, PathBuf)> = compiled.into_iter().collect::<Result<_, _>>()?;
        let (plain, checking): (Vec<_>, Vec<_>) = compiled.into_iter().unzip();
        let exe = path("explored".to_owned());
        let mut link = Command::new(bench.umbra);
        link.args(["cc", "-g", "-w"]).arg(path("start.c".to_owned())).args(&plain);
        succeed(link.arg("-lm").arg("-o").arg(&exe))?;
        let natives = Natives {
            plain: Enumerator::link(bench.umbra, &plain, "generated")?,
            checking: bench.sanitizer.enumerator(&checking, "generated")?,
            fresh: None,
        };
        let program = load(bench.umbra, &exe.with_extension("bc"))?;
        Ok(Self { program, natives, _folder: folder })
    }

    fn check(&self, bench: &Bench<'_>, at: usize, program: &Program) -> anyhow::Result<Verdict> {
        let name = name(at);
        let directives = Directives::parse(&program.text())?;
        let domain = directives.domain.clone().context("there is no domain")?;
        ensure_small(&domain)?;
        let subject = Subject {
            program: Arc::clone(&self.program),
            world: world(&directives, &name)?,
            domain: domain.clone(),
            file: format!("{name}.c"),
            time: bench.time,
        };
        let manner = Manner::number(program.seed);
        let exploration = subject.explore(&manner)?;
        if let Err(error) = ensure_complete(&exploration) {
            ensure!(!is_failure(&exploration), "{error:#}");
            return Ok(Verdict::Cut(format!("{error:#}")));
        }
        let effort = Effort {
            plain: bench.plain,
            checked: bench.checked,
            errors: bench.errors,
            manners: vec![manner],
        };
        let mut observed = Observed::new(&self.natives, &name, &[], &domain);
        Ok(Verdict::Fine(subject.compare(&exploration, &mut observed, &effort)?))
    }
}

/// Whether something went wrong with the engine itself.
fn is_failure(exploration: &Exploration) -> bool {
    !exploration.statistics.failures.is_empty()
        || exploration
            .paths
            .iter()
            .any(|path| matches!(path.termination, Termination::EngineBug(_)))
}

const START: &str = "int dispatch_main(int argc, char **argv);\n\
                     int main(int argc, char **argv) { return dispatch_main(argc, argv); }\n";

/// A `main` that calls the program whose name it is called by; native harnesses call it `program_main`.
fn dispatcher(count: usize) -> String {
    let names: Vec<String> = (0..count).map(name).collect();
    let declared: String =
        names.iter().map(|name| format!("int {name}_main(int, char **);\n")).collect();
    let called: String = names
        .iter()
        .map(|name| {
            format!("  if (!strcmp(argv[0], \"{name}\")) return {name}_main(argc, argv);\n")
        })
        .collect();
    format!(
        "#include <string.h>\n{declared}int main(int argc, char **argv) {{\n{called}  return 97;\n}}\n\
         int program_main(int argc, char **argv) {{ return main(argc, argv); }}\n"
    )
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let output = command.output().with_context(|| format!("starting {command:?}"))?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(())
}

/// What is wrong with a program, without the values: two programs fail alike if this is the same.
pub fn kind_of_failure(text: &str) -> &'static str {
    const KINDS: [&str; 9] = [
        "not compiled",
        "is on 0 paths",
        "paths: [",
        "engine-bug",
        "EngineBug",
        "of path",
        "before the error",
        "is predicted, natively",
        "failures",
    ];
    KINDS.iter().find(|kind| text.contains(**kind)).copied().unwrap_or("something else")
}
