//! The `umbra` command.
//!
//! Only this crate reads environment variables, prints and exits. Exit codes: 0
//! nothing found, 1 findings, 2 a failure of our own. The compiler wrapper ends as a
//! compiler does.

mod cases;
mod commands;
mod duration;
mod environment;
mod host;
mod interrupt;
mod native;
mod program;
mod project;
mod terminal;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Tests software patches by symbolic execution.
#[derive(Parser)]
#[command(name = "umbra", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Compile C as an ordinary compiler does, and write the whole program's bitcode
    ///
    /// All arguments are clang's. For every program linked there are a native static
    /// executable and beside it, as `<exe>.bc`, the bitcode of the whole program, libc
    /// included. Use it as CC="umbra cc" with the AR, RANLIB and NM that `umbra cc
    /// --print-ar`, `--print-ranlib` and `--print-nm` name.
    #[command(disable_help_flag = true)]
    Cc {
        /// Arguments of the compiler
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        args: Vec<OsString>,
    },
    /// Run a program in the engine; the host sees none of its writes
    #[command(override_usage = "umbra run [OPTIONS] PROGRAM [ARGS]...")]
    Run(Box<commands::run::Args>),
    /// Find where two versions of a program part
    #[command(override_usage = "umbra diff --complete [OPTIONS] PROGRAM [ARGS]...")]
    Diff(Box<commands::diff::Args>),
    /// Write an umbra.toml for the project in a folder, by looking at it
    Init(commands::init::Args),
    /// Build revisions of the project into the cache
    ///
    /// The user's checkout is not touched. What was built before is not built again.
    Build(commands::build::Args),
    /// Make the cache smaller
    Gc(commands::gc::Args),
    /// Look at test cases, and move them from one form to another
    #[command(subcommand)]
    Case(commands::case::Command),
    /// Run test cases natively, in a sandbox, on one version or on two
    Replay(Box<commands::replay::Args>),
    /// Run a test suite and keep what it feeds to the programs as test cases
    #[command(override_usage = "umbra record [OPTIONS] [-- COMMAND...]")]
    Record(commands::record::Args),
    /// Show what is needed on this machine and how to get what is missing
    Doctor(commands::doctor::Args),
    /// The bitcode libc that programs are linked with
    #[command(subcommand)]
    Libc(commands::libc::Command),
}

fn main() -> ExitCode {
    let args: Vec<OsString> = std::env::args_os().collect();
    // The wrapper's arguments are a compiler's, not ours: they go past clap. The same
    // for the step that lowers limits, which is nobody's interface.
    if let Some((name, rest)) = args.split_first() {
        if Path::new(name).file_name().is_some_and(|name| name == "umbra-cc") {
            return commands::cc::main(rest);
        }
        match rest.split_first() {
            Some((command, rest)) if command == "cc" => return commands::cc::main(rest),
            Some((command, rest)) if command == "__limited" => {
                return commands::limited::main(rest);
            }
            Some((command, rest)) if command == "__count" => return commands::count::main(rest),
            Some((command, rest)) if command == "__load" => return commands::load::main(rest),
            Some((command, _)) if command == environment::SANDBOX => {
                return umbra_replay::sandbox_main();
            }
            _ => {}
        }
    }
    let result = match Cli::parse().command {
        Command::Cc { args } => return commands::cc::main(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Diff(args) => commands::diff::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Build(args) => commands::build::run(&args),
        Command::Gc(args) => commands::gc::run(&args),
        Command::Case(command) => commands::case::run(&command),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Record(args) => commands::record::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Libc(command) => commands::libc::run(&command),
    };
    result.unwrap_or_else(|error| {
        eprintln!("umbra: {error:#}");
        ExitCode::from(2)
    })
}
