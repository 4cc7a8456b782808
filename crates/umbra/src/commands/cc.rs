//! `umbra cc`: the compiler wrapper.

use std::ffi::OsString;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::Path;
use std::process::{Command, ExitCode};

use umbra_project::{Linked, Plan, Tool, Wrapper, link_program};
use umbra_text::Show;

use crate::environment;
use crate::out::{self, say};

/// Runs the wrapper. It ends as compilers do: 1 for any failure.
pub fn main(args: &[OsString]) -> ExitCode {
    run(args).unwrap_or_else(|error| out::failed("umbra cc", &error, 1))
}

fn run(args: &[OsString]) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    let tools = &toolchain.tools;
    match Wrapper::new(&toolchain)?.plan(args)? {
        Plan::Exec(args) => Err(become_program(&tools.clang, &args)),
        Plan::Merge(args) => Err(become_program(&tools.link, &args)),
        Plan::Link(link) => {
            let Linked { status, uncounted } = link_program(&toolchain, &link)?;
            if let Some(why) = uncounted {
                let exe = link.exe.shown();
                let why = format_args!("warning: {exe} does not count its blocks: {why}");
                out::message("umbra cc", why);
            }
            let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
            Ok(ExitCode::from(u8::try_from(code).unwrap_or(1)))
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

fn become_program(program: &Path, args: &[OsString]) -> anyhow::Error {
    let error = Command::new(program).args(args).exec();
    anyhow::Error::new(error)
        .context(format!("cannot run {} (see `umbra doctor`)", program.shown()))
}
