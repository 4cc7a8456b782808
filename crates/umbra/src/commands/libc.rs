//! `umbra libc`: building the libc that programs are linked with.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use umbra_project::{Libc, LibcBuild, build_libc};
use umbra_text::Show;

use crate::environment;
use crate::out::{say, tell};

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Build the libc from musl's source into the cache, unless it is there
    Build {
        /// Folder with the source of musl [default: sources/musl in the cache]
        #[arg(long, value_name = "DIR")]
        source: Option<PathBuf>,
        /// How many compilers to run at a time [default: one a processor]
        #[arg(short, long, value_name = "N")]
        jobs: Option<usize>,
    },
    /// Print the sysroot of the libc that is in use
    Path,
}

/// Runs a subcommand.
pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    match command {
        Command::Build { source, jobs } => {
            let source = source.clone().unwrap_or_else(|| toolchain.cache.musl_source());
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
