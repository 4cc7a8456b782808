//! `umbra doctor`: what is needed on this machine, and how to get what is missing.

use std::process::ExitCode;

use serde_json::json;
use umbra_project::{Check, CheckState, check};

use crate::environment;

/// Arguments of the command.
#[derive(clap::Args)]
pub struct Args {
    /// One JSON object on standard output instead of a table
    #[arg(long)]
    json: bool,
}

/// Runs the command: 0 if everything needed is there, 2 if not.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let toolchain = environment::toolchain()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let checks = check(&toolchain, &path);
    let complete =
        checks.iter().all(|check| check.optional || matches!(check.state, CheckState::Found(_)));
    let exit: u8 = if complete { 0 } else { 2 };
    if args.json {
        let object = json!({
            "schema": "umbra/1",
            "command": "doctor",
            "exit": exit,
            "checks": checks.iter().map(check_json).collect::<Vec<_>>(),
        });
        println!("{object}");
    } else {
        for check in &checks {
            let (state, detail) = match &check.state {
                CheckState::Found(path) => ("ok", path.display().to_string()),
                CheckState::Missing(fix) if check.optional => ("absent", hint(check, fix)),
                CheckState::Missing(fix) => ("MISSING", hint(check, fix)),
            };
            println!("{:<8} {:<15} {detail}", state, check.name);
        }
        let tools = &toolchain.tools;
        println!(
            "\nbuild with: CC=\"umbra cc\" AR={} RANLIB={} NM={}",
            tools.ar.display(),
            tools.ranlib.display(),
            tools.nm.display()
        );
    }
    Ok(ExitCode::from(exit))
}

fn hint(check: &Check, fix: &str) -> String {
    format!("{}; get it with: {fix}", check.purpose)
}

fn check_json(check: &Check) -> serde_json::Value {
    let (ok, path, fix) = match &check.state {
        CheckState::Found(path) => (true, Some(path.display().to_string()), None),
        CheckState::Missing(fix) => (false, None, Some(fix)),
    };
    json!({
        "name": check.name,
        "purpose": check.purpose,
        "optional": check.optional,
        "ok": ok,
        "path": path,
        "fix": fix,
    })
}
