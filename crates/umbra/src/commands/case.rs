//! `umbra case`: looks at test cases and moves them from one form to another.

use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context;
use umbra_case::{Case, KTest};
use umbra_report::{CaseDiff, CaseText};
use umbra_text::Show;

use umbra_jobs::read_case;

use crate::cases;
use crate::out::{self, say};
use crate::terminal::{self, ColourChoice};

/// What to do.
#[derive(clap::Subcommand)]
pub enum Command {
    /// Show a case on a page
    Show {
        /// The case: a folder, or STORE/ID
        case: PathBuf,
        /// When to use colours
        #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColourChoice::Auto)]
        color: ColourChoice,
    },
    /// Show the differences between two cases
    ///
    /// Exits with 1 if there are any.
    Diff {
        /// The case before
        seed: PathBuf,
        /// The case after
        case: PathBuf,
        /// When to use colours
        #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColourChoice::Auto)]
        color: ColourChoice,
    },
    /// List cases: identity, bytes of input, command
    List {
        /// Folders of cases, of runs, or of recordings [default: what was recorded here]
        cases: Vec<PathBuf>,
    },
    /// Write a case as a folder with run.sh, or, if DEST ends in .ktest, for KLEE's tools
    Export {
        /// The case
        case: PathBuf,
        /// Where to write it; must not exist yet
        dest: PathBuf,
    },
    /// Turn a .ktest file into a case
    Import {
        /// The file
        ktest: PathBuf,
        /// The folder to create; must not exist yet
        dest: PathBuf,
    },
}

/// Runs the command.
pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Show { case, color } => {
            let case = read_case(case)?;
            let colour = terminal::colour(*color);
            out::page(format_args!("{}", CaseText { case: &case, colour }), colour)?;
        }
        Command::Diff { seed, case, color } => {
            let (seed, case) = (read_case(seed)?, read_case(case)?);
            let colour = terminal::colour(*color);
            let text = CaseDiff { seed: &seed, case: &case, colour };
            out::page(format_args!("{text}"), colour)?;
            return Ok(ExitCode::from(u8::from(seed.id() != case.id())));
        }
        Command::List { cases } => {
            for found in cases::find(cases)? {
                let named = found.read()?;
                let case = &named.case;
                let words: Vec<String> = std::iter::once(&case.program)
                    .chain(&case.arguments)
                    .map(|word| word.escape_ascii().to_string())
                    .collect();
                say!("{} {:>8} {}", case.id().short(), case.input_bytes(), words.join(" "))?;
            }
        }
        Command::Export { case, dest } => export(&read_case(case)?, dest)?,
        Command::Import { ktest, dest } => KTest::read(ktest)?.to_case().write(dest)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn export(case: &Case, dest: &std::path::Path) -> anyhow::Result<()> {
    if dest.extension().is_none_or(|suffix| suffix != "ktest") {
        return Ok(case.write(dest)?);
    }
    let ktest = match case.objects.is_empty() {
        true => KTest::of_posix(case),
        false => Ok(KTest::of_objects(case)),
    };
    let bytes =
        ktest.and_then(|ktest| ktest.encode()).context("cannot be written as a .ktest file")?;
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(dest)
        .with_context(|| format!("writing {}", dest.shown()))?;
    std::io::Write::write_all(&mut file, &bytes)
        .with_context(|| format!("writing {}", dest.shown()))
}
