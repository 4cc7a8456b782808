//! The `umbra` command.
//!
//! Only this crate reads environment variables, prints and exits. Exit codes: 0
//! nothing found, 1 findings, 2 a failure of our own. The compiler wrapper ends as a
//! compiler does.
#![deny(clippy::print_stdout, clippy::print_stderr)]

mod cases;
mod commands;
mod duration;
mod environment;
mod guard;
mod host;
mod interrupt;
mod out;
mod project;
mod recording;
mod terminal;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};
use commands::flags;
use terminal::ColourChoice;
use umbra_text::Show;

/// The commands that most users need, in their order.
const USUAL_WAY: &str = "\
The usual way, in the folder of a project:
  umbra init                     find out how it is built and tested, and try that
  umbra record                   run its tests, and keep what they feed to its programs
  umbra check OLD..NEW           find inputs on which a patch matters, and what it breaks
  umbra replay --range OLD..NEW  only run the recorded tests on both versions";

/// Tests software patches by symbolic execution.
#[derive(Parser)]
#[command(name = "umbra", version, after_help = USUAL_WAY)]
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
    /// Find inputs on which two versions of a program behave differently
    #[command(
        override_usage = "umbra diff [OPTIONS] OLD NEW [-- ARGS]...\n       umbra diff [OPTIONS] PROGRAM [ARGS]..."
    )]
    Diff(Box<commands::diff::Args>),
    /// Check a patch: what does it change, is that tested, does it break anything?
    ///
    /// Umbra builds both versions, runs the tests on both, looks for inputs near the tests on which they differ, and runs
    /// what it found natively. Your checkout is not touched. Each stage keeps its result: a second check of the same patch
    /// takes seconds, and one that was stopped goes on where it was.
    #[command(override_usage = "umbra check [OPTIONS] [REV | OLD..NEW] [-- PROGRAM ARGS...]")]
    Check(Box<commands::check::Args>),
    /// Check what the tests only visit: are there inputs near theirs on which a program goes wrong?
    ///
    /// Every operation on the path of a test that could go wrong is checked for all inputs of that path, then what
    /// is near. What is found runs natively.
    #[command(
        override_usage = "umbra amplify [OPTIONS] [-- TEST COMMAND]\n       umbra amplify [OPTIONS] PROGRAM [-- ARGS]..."
    )]
    Amplify(Box<commands::amplify::Args>),
    /// Check every commit of a range against the one before, the oldest first
    ///
    /// A commit that was checked before takes seconds, and a run that was stopped goes on where it was.
    #[command(override_usage = "umbra log [OPTIONS] OLD..NEW")]
    Log(Box<commands::log::Args>),
    /// Find inputs that run a line, a function, or the changed code of a patch that no test runs
    ///
    /// The tests run first. Where none of them runs the code, those that come nearest are changed until one does. Every input that
    /// is found runs natively before it counts.
    #[command(
        override_usage = "umbra reach [OPTIONS] FILE:LINE | FUNCTION [PROGRAM]...\n       umbra reach [OPTIONS] --patch OLD..NEW [PROGRAM]...\n       umbra reach [OPTIONS] --program PROGRAM FILE:LINE | FUNCTION [-- ARGS]..."
    )]
    Reach(Box<commands::reach::Args>),
    /// Show the report of a check again, or write it in another form
    Report(commands::report::Args),
    /// Say that a difference is expected, so that checks do not fail for it
    ///
    /// Each one is a file in the folder `umbra-accepted`, to be committed.
    Accept(commands::accept::Args),
    /// Look at a project, write an umbra.toml for it, and try it
    Init(commands::init::Args),
    /// Build revisions of the project into the cache
    ///
    /// The user's checkout is not touched. What was built before is not built again.
    Build(commands::build::Args),
    /// Make the cache smaller
    Gc(commands::gc::Args),
    /// Show, compare and convert test cases
    #[command(subcommand)]
    Case(commands::case::Command),
    /// Run test cases natively, in a sandbox, on one version or on two
    Replay(Box<commands::replay::Args>),
    /// Run a test suite and keep what it feeds to the programs as test cases
    #[command(override_usage = "umbra record [OPTIONS] [-- COMMAND...]")]
    Record(commands::record::Args),
    /// Show what Umbra needs on this machine, and how to get what is missing
    Doctor(commands::doctor::Args),
    /// The bitcode libc that programs are linked with
    #[command(subcommand)]
    Libc(commands::libc::Command),
    /// Libraries of others that programs are linked with
    #[command(subcommand)]
    Deps(commands::deps::Command),
}

fn main() -> ExitCode {
    let mut args: Vec<OsString> = std::env::args_os().collect();
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
            Some((command, rest)) if command == "__hook" => return commands::hook::main(rest),
            Some((command, rest)) if command == "__pages" => {
                let made = on_large_stack(|| Ok(commands::pages::main(Cli::command(), rest)));
                return made.unwrap_or_else(|error| out::failed("umbra", &error, FAILED));
            }
            Some((command, rest)) if command == umbra_jobs::SEARCH => {
                let searched = on_large_stack(|| Ok(commands::search::main(rest)));
                return searched.unwrap_or_else(|error| out::failed("umbra", &error, FAILED));
            }
            Some((command, rest)) if command == umbra_jobs::REACH => {
                let reached = on_large_stack(|| Ok(commands::search::reach_main(rest)));
                return reached.unwrap_or_else(|error| out::failed("umbra", &error, FAILED));
            }
            Some((command, rest)) if command == umbra_jobs::LOAD => {
                let loaded = on_large_stack(|| Ok(commands::load::main(rest)));
                return loaded.unwrap_or_else(|error| out::failed("umbra", &error, FAILED));
            }
            Some((command, _)) if command == environment::SANDBOX => {
                return umbra_replay::sandbox_main();
            }
            _ => {}
        }
    }
    // Parsing builds a description of all flags, which takes more than the smallest stacks.
    let command = match on_large_stack(|| Ok(parse(&mut args))) {
        Ok(Ok(cli)) => cli.command,
        Ok(Err(usage)) => return misused(&usage, &args),
        Err(error) => return out::failed("umbra", &error, FAILED),
    };
    let json = command.json();
    let result = match command {
        Command::Cc { args } => return commands::cc::main(&args),
        Command::Run(args) => on_large_stack(|| commands::run::run(&args)),
        Command::Diff(args) => on_large_stack(|| commands::diff::run(*args)),
        Command::Check(args) => on_large_stack(|| commands::check::run(&args)),
        Command::Amplify(args) => on_large_stack(|| commands::amplify::run(&args)),
        Command::Log(args) => on_large_stack(|| commands::log::run(&args)),
        Command::Reach(args) => on_large_stack(|| commands::reach::run(&args)),
        Command::Report(args) => commands::report::run(&args),
        Command::Accept(args) => commands::accept::run(&args),
        Command::Init(args) => commands::init::run(&args),
        Command::Build(args) => commands::build::run(&args),
        Command::Gc(args) => commands::gc::run(&args),
        Command::Case(command) => commands::case::run(&command),
        Command::Replay(args) => commands::replay::run(&args),
        Command::Record(args) => commands::record::run(&args),
        Command::Doctor(args) => commands::doctor::run(&args),
        Command::Libc(command) => commands::libc::run(&command),
        Command::Deps(command) => commands::deps::run(&command),
    };
    result.map_err(flags::named).unwrap_or_else(|error| match json {
        Some(name) => failed_with_object(name, &error),
        None => out::failed("umbra", &error, FAILED),
    })
}

/// Reads the command line. Flags may stand behind two programs, too.
fn parse(line: &mut Vec<OsString>) -> Result<Cli, clap::Error> {
    let cli = Cli::try_parse_from(&*line)?;
    if let Command::Diff(args) = &cli.command
        && let Some(flags_first) = commands::diff::flags_first(line, &args.command)
    {
        *line = flags_first;
        return Cli::try_parse_from(&*line);
    }
    Ok(cli)
}

/// The exit status of a failure of our own.
const FAILED: u8 = 2;

impl Command {
    /// The name of the command, if it is to print one JSON object, whatever comes.
    fn json(&self) -> Option<&'static str> {
        let (name, json) = match self {
            Command::Run(args) => ("run", args.printing.json),
            Command::Diff(args) => ("diff", args.printing.json),
            Command::Check(args) => ("check", args.flags.json),
            Command::Amplify(args) => ("amplify", args.printing.json),
            Command::Log(args) => ("log", args.flags.json),
            Command::Reach(args) => ("reach", args.json),
            Command::Build(args) => ("build", args.json),
            Command::Replay(args) => ("replay", args.json),
            Command::Record(args) => ("record", args.json),
            Command::Doctor(args) => ("doctor", args.json),
            Command::Cc { .. }
            | Command::Report(_)
            | Command::Accept(_)
            | Command::Init(_)
            | Command::Gc(_)
            | Command::Case(_)
            | Command::Libc(_)
            | Command::Deps(_) => return None,
        };
        json.then_some(name)
    }
}

fn failed_with_object(name: &str, error: &anyhow::Error) -> ExitCode {
    match out::failure_object(name, error, FAILED) {
        Ok(()) => out::failed("umbra", error, FAILED),
        // What went wrong first is said all the same.
        Err(write) => {
            out::failed("umbra", error, FAILED);
            out::failed("umbra", &write.into(), FAILED)
        }
    }
}

/// Ends as clap would, for a request for help or a wrong command line.
fn misused(usage: &clap::Error, args: &[OsString]) -> ExitCode {
    if !usage.use_stderr() {
        let colour = terminal::colour(ColourChoice::Auto);
        let text = match colour {
            umbra_report::Colour::Ansi => usage.render().ansi().to_string(),
            umbra_report::Colour::Plain => usage.render().to_string(),
        };
        let printed = out::page(format_args!("{text}"), colour);
        return printed.map_or_else(
            |error| out::failed("umbra", &error.into(), FAILED),
            |()| ExitCode::SUCCESS,
        );
    }
    // The same mistake with arguments that a terminal only shows.
    let shown = args.iter().map(|arg| OsString::from(arg.shown().to_string()));
    let text = match Cli::try_parse_from(shown) {
        Err(usage) => usage.render().to_string(),
        Ok(_) => usage.render().to_string().replace('\n', "\n    "),
    };
    let own = args.iter().take_while(|arg| *arg != "--");
    if let (true, Some(command)) = (own.clone().any(|arg| arg == "--json"), own.clone().nth(1)) {
        let error = anyhow::Error::msg(text.trim_end().to_owned());
        if let Err(error) = out::failure_object(&command.to_string_lossy(), &error, FAILED) {
            return out::failed("umbra", &error.into(), FAILED);
        }
    }
    out::complaint(&text);
    ExitCode::from(FAILED)
}

/// Bytes of stack for what recurses, as much as the first thread of a process usually has.
const STACK: usize = 8 << 20;

/// Does the work on a stack of its own: that of the first thread is as small as `ulimit -s` says.
fn on_large_stack<T: Send>(work: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("umbra".to_owned()).stack_size(STACK);
        match thread.spawn_scoped(scope, work) {
            Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
            Err(error) => {
                Err(anyhow::Error::new(error).context("starting a thread (see ulimit -u and -v)"))
            }
        }
    })
}
