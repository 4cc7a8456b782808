//! `umbra build`: builds revisions of the project into the cache.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use umbra_project::{Build, Builder, Flavour, Revision};
use umbra_report::{BuildLine, BuildReport, ProgramLine};
use umbra_text::Show;

use crate::out::{self, WriteError, say};
use crate::project::{self, Display};

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// Revisions, or ranges OLD..NEW of which both ends are built; `.` is the working tree
    #[arg(default_value = ".", value_name = "REV")]
    revisions: Vec<String>,
    /// Build with AddressSanitizer and UndefinedBehaviorSanitizer instead of for analysis
    #[arg(long)]
    checking: bool,
    /// One JSON object on standard output
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    let (builder, _) = project::builder()?;
    let flavour = if args.checking { Flavour::Checking } else { Flavour::Analysis };
    let mut builds = Vec::new();
    for revision in revisions(&builder, &args.revisions)? {
        let mut display = Display::new(format!("{} build of {revision}", flavour.name()));
        let build = builder.build(&revision, flavour, &mut |progress| display.show(&progress))?;
        drop(display);
        if !args.json {
            print(&revision, &build)?;
        }
        builds.push(line(&revision, flavour, &build));
    }
    if args.json {
        let report = BuildReport { wall_s: start.elapsed().as_secs_f64(), builds };
        out::json_line(&report.to_json())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn revisions(builder: &Builder, texts: &[String]) -> anyhow::Result<Vec<Revision>> {
    let mut revisions = Vec::new();
    for text in texts {
        if text.contains("..") {
            let range = builder.repository().range(Some(text))?;
            revisions.extend([range.old, range.new]);
        } else {
            revisions.push(Revision::parse(text));
        }
    }
    Ok(revisions)
}

fn print(revision: &Revision, build: &Build) -> Result<(), WriteError> {
    let name = revision.to_string();
    say!("{} {}: {}", build.key, name.shown(), build.folder.shown())?;
    for program in &build.programs {
        say!("    {}", program.path_in_tree.shown())?;
    }
    Ok(())
}

/// One build of the report.
fn line(revision: &Revision, flavour: Flavour, build: &Build) -> BuildLine {
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let programs = build.programs.iter().map(|program| ProgramLine {
        name: program.name.clone(),
        path: text(&program.path_in_tree),
        executable: text(&program.executable),
        bitcode: program.bitcode.as_deref().map(text),
    });
    BuildLine {
        revision: match revision {
            Revision::Named(name) => name.clone(),
            Revision::WorkingTree => ".".to_owned(),
        },
        flavour: flavour.name().to_owned(),
        key: build.key.to_string(),
        folder: text(&build.folder),
        log: text(&build.log),
        programs: programs.collect(),
    }
}
