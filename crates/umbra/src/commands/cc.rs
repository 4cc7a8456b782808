//! `umbra cc`: the compiler wrapper.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode};

use umbra_project::{
    Linked, Plan, Tool, Wrapper, compile_cxx, leave_out, link_program, link_shared,
};
use umbra_report::Colour;
use umbra_text::Show;

use crate::out::{self, say};
use crate::{environment, recording};

/// Runs the wrapper. It ends as compilers do: 1 for any failure.
pub fn main(args: &[OsString]) -> ExitCode {
    run(args).unwrap_or_else(|error| out::failed("umbra cc", &error, 1))
}

/// What `umbra cc --help` says.
const HELP: &str = "\
Compile C as clang does, and write the whole program's bitcode

Usage: umbra cc [CLANG'S ARGUMENTS]...
       umbra cc --print-ar | --print-ranlib | --print-nm

For every program that is linked there are a static executable and beside it, as <program>.bc, the bitcode
of the whole program, libc included. Objects are bitcode; optimisation flags do not count, and -Werror is
dropped. Files in C++ are compiled to machine code if they need no C++ library, and left out if they do.

    umbra cc hello.c -o hello
    ./configure CC=\"umbra cc\" AR=\"$(umbra cc --print-ar)\" RANLIB=\"$(umbra cc --print-ranlib)\"

Libraries: `umbra deps add NAME` builds those that -l and pkg-config are to find.
All other arguments are clang's: see clang --help, or docs/cc.md of Umbra.
";

fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    if args == ["--help"] {
        out::page(format_args!("{HELP}"), Colour::Plain)?;
        return Ok(ExitCode::SUCCESS);
    }
    let toolchain = environment::toolchain()?;
    let tools = &toolchain.tools;
    match Wrapper::new(&toolchain)?.plan(args)? {
        Plan::Exec(args) => Err(become_program(&tools.clang, &args)),
        Plan::Shared(link) => {
            let status = link_shared(&toolchain, &link)?;
            Ok(ExitCode::from(u8::try_from(status.code().unwrap_or(1)).unwrap_or(1)))
        }
        Plan::Merge(args) => Err(become_program(&tools.link, &args)),
        Plan::Link(link) => {
            let Linked { status, uncounted } = link_program(&toolchain, &link)?;
            if let Some(why) = uncounted {
                let exe = link.exe.shown();
                let why = format_args!("warning: {exe} does not count its blocks: {why}");
                out::message("umbra cc", why);
            }
            if status.success() {
                if let Err(error) = recording::linked(&link.exe) {
                    let exe = link.exe.shown();
                    out::message(
                        "umbra cc",
                        format_args!("warning: {exe} is not recorded: {error}"),
                    );
                }
            } else {
                for missing in &link.missing {
                    out::message("umbra cc", format_args!("missing: {missing}"));
                }
            }
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
        }
        Plan::Cxx(job) => {
            let source = &job.source;
            let source = source.shown();
            match compile_cxx(&toolchain, &job)? {
                None => warn(format_args!(
                    "{source} is C++: it is compiled to machine code, and analysis does not see into it"
                )),
                Some(why) => warn(format_args!("{source} is C++ and is left out: {}", why.shown())),
            }
            Ok(ExitCode::SUCCESS)
        }
        Plan::LeaveOut(program) => {
            leave_out(&program)?;
            let program = program.shown();
            warn(format_args!(
                "{program} is left out: parts of it are C++, which is not supported"
            ));
            Ok(ExitCode::SUCCESS)
        }
        Plan::Print(tool) => {
            let path = match tool {
                Tool::Ar => &tools.ar,
                Tool::Ranlib => &tools.ranlib,
                Tool::Nm => &tools.nm,
            };
            say!("{}", path.shown())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn warn(text: std::fmt::Arguments<'_>) {
    out::message("umbra cc", format_args!("warning: {text}"));
}

fn become_program(program: &Path, args: &[OsString]) -> anyhow::Error {
    let error = Command::new(program).args(args).exec();
    anyhow::Error::new(error)
        .context(format!("cannot run {} (see `umbra doctor`)", program.shown()))
}
