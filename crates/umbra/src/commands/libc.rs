//! `umbra libc`: building the libc that programs are linked with.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use umbra_project::{Libc, LibcBuild, Toolchain, build_libc, fetch_source};
use umbra_text::Show;

use crate::environment;
use crate::out::{say, tell};

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Build the libc from musl's source into the cache, unless it is there
    Build {
        /// Folder with the source of musl [default: sources/musl in the cache, fetched from the package archive if it is not there]
        #[arg(long, value_name = "DIR")]
        source: Option<PathBuf>,
        /// How many compilers to run at a time [default: one a processor]
        #[arg(short, long, value_name = "N")]
        jobs: Option<usize>,
    },
    /// Print the sysroot of the libc that is in use
    Path,
}

/// The source of musl in the cache, fetched if it is not there.
fn musl_source(toolchain: &Toolchain) -> anyhow::Result<PathBuf> {
    let source = toolchain.cache.musl_source();
    if !source.join("VERSION").exists() {
        tell!("fetching the source of musl");
        fetch_source("musl", &source)?;
    }
    Ok(source)
}

/// Runs a subcommand.
pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    match command {
        Command::Build { source, jobs } => {
            let source = match source {
                Some(source) => source.clone(),
                None => musl_source(&toolchain)?,
            };
            let jobs = jobs.unwrap_or_else(|| {
                std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
            });
            match build_libc(&toolchain, &source, jobs)? {
                LibcBuild::Present(libc) => {
                    tell!("libc is already built: {}", libc.sysroot().shown());
                }
                LibcBuild::Built(libc) => {
                    tell!("libc built: {}", libc.sysroot().shown());
                }
            }
        }
        Command::Path => say!("{}", Libc::find(&toolchain.cache)?.sysroot().shown())?,
    }
    Ok(ExitCode::SUCCESS)
}
