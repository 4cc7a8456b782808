//! `umbra report`: the report of a check in any form.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::{Context, bail};
use clap::ValueEnum;
use umbra_jobs::{checks, export, load};
use umbra_report::{CheckReport, Colour, write_file};
use umbra_text::Show;

use crate::out::{self, say, tell};
use crate::project;
use crate::terminal::{self, ColourChoice};

/// The page of a report, in the folder of its check.
const PAGE: &str = "report.html";

/// Which check a command is about.
#[derive(clap::Args)]
pub struct Which {
    /// The check: its folder, or the start of its name [default: the latest]
    #[arg(long, value_name = "CHECK")]
    pub check: Option<String>,
}

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// The check: its folder, or the start of its name [default: the latest]
    #[arg(value_name = "CHECK")]
    pub check: Option<String>,

    /// The form
    #[arg(short, long, value_name = "FORM", value_enum, default_value_t = Form::Text)]
    pub format: Form,

    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// As text: with traces, seeds and everything that was left out
    #[arg(short, long)]
    pub verbose: bool,

    /// List the checks of this project instead
    #[arg(long, conflicts_with_all = ["check", "output", "export_tests"])]
    pub list: bool,

    /// Write the findings as tests that run without Umbra: a script for each
    #[arg(long, value_name = "DIR", conflicts_with = "output")]
    pub export_tests: Option<PathBuf>,
}

/// Forms of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For a terminal
    Text,
    /// One page for a browser
    Html,
    /// The object of `umbra check --json`
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// `JUnit` XML, for lists of tests
    Junit,
    /// Coverage of the changed lines, for lcov
    Lcov,
    /// Coverage of the changed lines, as Cobertura
    Cobertura,
    /// A comment on a pull request
    Markdown,
}

impl Which {
    /// The report.
    pub fn report(&self, project: &Path) -> anyhow::Result<CheckReport> {
        named(project, self.check.as_deref())
    }
}

/// The report of the check of this name, or of the latest one.
fn named(project: &Path, name: Option<&str>) -> anyhow::Result<CheckReport> {
    let known = checks(project)?;
    let folder = match name {
        None => known.last().cloned(),
        Some(name) if Path::new(name).join(umbra_jobs::REPORT).exists() => {
            Some(PathBuf::from(name))
        }
        Some(name) => {
            let is_it = |folder: &&PathBuf| {
                folder.file_name().is_some_and(|it| it.to_string_lossy().starts_with(name))
            };
            let mut found = known.iter().filter(is_it);
            found.next().filter(|_| found.next().is_none()).cloned()
        }
    };
    match (folder, name) {
        (Some(folder), _) => Ok(load(project, &folder)?),
        (None, Some(name)) => bail!("there is no check {} (umbra report --list)", name.shown()),
        (None, None) => bail!("there is no check in {}: run umbra check first", project.shown()),
    }
}

/// Runs the command.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let project = project::folder()?;
    if args.list {
        for folder in checks(&project)? {
            let report = load(&project, &folder)?;
            let name = folder.file_name().unwrap_or_default().to_string_lossy();
            let headline = report.headline();
            say!("{name}  {} -> {}  {headline}", report.old.title(), report.new.title())?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let report = named(&project, args.check.as_deref())?;
    if let Some(folder) = &args.export_tests {
        let exported = export(&project, &report, folder)?;
        for file in &exported.files {
            say!("{}", file.shown())?;
        }
        for (identity, why) in &exported.left_out {
            tell!("no test for {identity}: {why}");
        }
        return Ok(ExitCode::SUCCESS);
    }
    let colour = match args.output {
        Some(_) => Colour::Plain,
        None => terminal::colour(ColourChoice::Auto),
    };
    let columns = terminal::is_watched().then(terminal::width).filter(|_| args.output.is_none());
    let text = match args.format {
        Form::Text => report.to_text(colour, columns, args.verbose),
        Form::Html => report.to_html(),
        Form::Json => report.to_json() + "\n",
        Form::Sarif => report.to_sarif(),
        Form::Junit => report.to_junit(),
        Form::Lcov => report.to_lcov(),
        Form::Cobertura => report.to_cobertura(),
        Form::Markdown => report.to_markdown(),
    };
    match &args.output {
        Some(file) => {
            fs::write(file, text).with_context(|| format!("writing {}", file.shown()))?;
        }
        None => out::page(format_args!("{text}"), colour)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the page of a report is.
pub fn page(report: &CheckReport) -> PathBuf {
    Path::new(&report.folder).join(PAGE)
}

/// Writes the page of a report into the folder of its check, as a whole.
pub fn write_page(report: &CheckReport) -> anyhow::Result<()> {
    Ok(write_file(&page(report), report.to_html().as_bytes(), "the page is missing")?)
}
