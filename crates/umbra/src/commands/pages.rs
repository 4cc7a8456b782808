//! `umbra __pages DIR`: manual pages and completions, for `make install`. Not for users.
//!
//! They are made from the description of the command line, so they say what `--help` says. Programs in C, configuration
//! and the environment are described in docs/, which goes beyond flags.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use clap::Command;
use clap_complete::{Shell, generate_to};
use clap_mangen::Man;
use umbra_text::Show;

use crate::out::{self, tell};

/// The section of the manual for commands.
const MAN: &str = "man1";

/// Shells, and the folders for their completions.
const SHELLS: [(Shell, &str); 3] =
    [(Shell::Bash, "bash"), (Shell::Zsh, "zsh"), (Shell::Fish, "fish")];

/// Writes all of them into a folder.
pub fn main(command: Command, words: &[OsString]) -> ExitCode {
    let [folder] = words else {
        tell!("usage: umbra __pages DIR");
        return ExitCode::from(2);
    };
    match write(command, Path::new(folder)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => out::failed("umbra", &error, 2),
    }
}

fn write(mut command: Command, folder: &Path) -> anyhow::Result<()> {
    for (shell, name) in SHELLS {
        let folder = made(&folder.join(name))?;
        generate_to(shell, &mut command, "umbra", &folder)
            .with_context(|| format!("writing into {}", folder.shown()))?;
    }
    command.build();
    pages(&command, &made(&folder.join(MAN))?)
}

/// The page of a command and those of the commands in it.
fn pages(command: &Command, folder: &Path) -> anyhow::Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let mut page = Vec::new();
    Man::new(command.clone()).render(&mut page).context("making a manual page")?;
    let page = String::from_utf8(page).context("making a manual page")?;
    // A title without a date leaves it out, and then the version stands in its place.
    let title =
        format!(".TH {} 1 \"\" \"umbra {}\" Umbra", name.to_uppercase(), env!("CARGO_PKG_VERSION"));
    let lines = page.lines().map(|line| if line.starts_with(".TH ") { &*title } else { line });
    let page = lines.fold(String::new(), |page, line| page + line + "\n");
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page).with_context(|| format!("writing {}", path.shown()))?;
    // `umbra help check` is `umbra check --help`: it has no page of its own.
    let has_page = |command: &&Command| !command.is_hide_set() && command.get_name() != "help";
    command.get_subcommands().filter(has_page).try_for_each(|command| pages(command, folder))
}

fn made(folder: &Path) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.shown()))?;
    Ok(folder.to_owned())
}
