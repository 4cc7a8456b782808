//! Prints the IR of a bitcode file.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let Some(path) = std::env::args_os().nth(1) else {
        eprintln!("usage: dump FILE.bc");
        return ExitCode::from(2);
    };
    let start = Instant::now();
    match umbra_ir::load_bitcode(Path::new(&path)) {
        Ok(program) => {
            let elapsed = start.elapsed();
            println!("{program:#?}");
            eprintln!("loaded in {elapsed:.1?}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("dump: {error}");
            ExitCode::from(2)
        }
    }
}
