//! `umbra deps`: libraries of others, built for programs under analysis.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Subcommand;
use umbra_project::{DepsProgress, Installed, KNOWN, add_library};
use umbra_text::Show;

use crate::environment;
use crate::out::{say, tell};

/// The subcommands.
#[derive(Subcommand)]
pub enum Command {
    /// Build libraries into the cache, for `-l`, headers and pkg-config in all builds
    ///
    /// Sources are the distribution's source packages, from this machine's own package archive. What a
    /// library needs is built first.
    Add {
        /// Names, as in `umbra deps list`, or those of source packages
        #[arg(required = true, value_name = "NAME")]
        names: Vec<String>,
        /// A folder with the source, instead of the distribution's package
        #[arg(long, value_name = "DIR")]
        source: Option<PathBuf>,
    },
    /// Show which libraries are there, and which can be added by name
    List,
}

/// Runs a subcommand.
pub fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    match command {
        Command::Add { names, source } => {
            let variables = environment::for_builds();
            for name in names {
                add_library(&toolchain, name, source.as_deref(), &variables, &mut |progress| {
                    tell(&progress);
                })?;
            }
        }
        Command::List => {
            let installed = Installed::of(&toolchain.cache)?;
            for (name, version) in installed.versions() {
                say!("{:<16} {}", name.shown().to_string(), version.shown())?;
            }
            for library in KNOWN.iter().filter(|library| !installed.has(library.name)) {
                let links: Vec<String> =
                    library.links.iter().map(|link| format!("-l{link}")).collect();
                say!("{:<16} not added: {}", library.name, links.join(" "))?;
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(progress: &DepsProgress) {
    match progress {
        DepsProgress::Present(name) => tell!("{} is there already", name.shown()),
        DepsProgress::Fetching(name) => tell!("fetching the source of {}", name.shown()),
        DepsProgress::Building(name) => tell!("building {}", name.shown()),
        DepsProgress::Built(name, version) => {
            tell!("added {} ({})", name.shown(), version.shown());
        }
    }
}
