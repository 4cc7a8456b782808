//! Prints the IR of a bitcode file, or with `--summary` a line about each of several files.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use umbra_ir::{Initializer, LoadError, Program, Terminator};

fn main() -> ExitCode {
    let mut arguments: Vec<_> = std::env::args_os().skip(1).collect();
    if arguments.is_empty() {
        eprintln!("usage: dump [--summary] FILE.bc...");
        return ExitCode::from(2);
    }
    let summary = arguments[0] == "--summary";
    if summary {
        arguments.remove(0);
    }
    let mut code = ExitCode::SUCCESS;
    for path in &arguments {
        let path = Path::new(path);
        let result = if summary {
            summarize(path)
        } else {
            umbra_ir::load_bitcode(path).map(|program| print!("{program}"))
        };
        if let Err(error) = result {
            eprintln!("dump: {error}");
            code = ExitCode::from(2);
        }
    }
    code
}

fn summarize(path: &Path) -> Result<(), LoadError> {
    let start = Instant::now();
    let program = umbra_ir::load_bitcode(path)?;
    let loaded = start.elapsed();
    let start = Instant::now();
    let verified = program.verify().is_ok();
    let verify = start.elapsed();
    let start = Instant::now();
    let bytes = umbra_ir::encode(&program);
    let encode = start.elapsed();
    let start = Instant::now();
    let same = umbra_ir::decode(&bytes).as_ref() == Ok(&program);
    let decode = start.elapsed();
    let start = Instant::now();
    let text = program.to_string();
    let print = start.elapsed();
    let start = Instant::now();
    let parsed = umbra_ir::parse(&text);
    let parse = start.elapsed();
    let same = same && parsed.as_ref() == Ok(&program);
    if let Err(error) = parsed {
        println!("  the text does not parse: {error}");
    }
    println!(
        "{}: {} functions, {} instructions, {} constants, {} locations; load {loaded:.1?} \
         (verify {verify:.1?}), encode {encode:.1?} to {} KiB, decode {decode:.1?}, print {print:.1?}, parse {parse:.1?}; \
         verified \
         {verified}, same {same}",
        path.display(),
        program.functions.len(),
        weight(&program),
        program.constants.len(),
        program.locations.len(),
        bytes.len() / 1024,
    );
    for reason in unsupported(&program) {
        println!("  {reason}");
    }
    Ok(())
}

fn weight(program: &Program) -> u64 {
    let bodies = program.functions.values().filter_map(|f| f.body.as_ref());
    let blocks = bodies.flat_map(|body| body.blocks.values());
    blocks.map(|block| u64::from(block.weight)).sum()
}

fn unsupported(program: &Program) -> Vec<&str> {
    let bodies = program.functions.values().filter_map(|f| f.body.as_ref());
    let blocks = bodies.flat_map(|body| body.blocks.values());
    let terminators = blocks.filter_map(|block| match &block.terminator {
        Terminator::Unsupported(reason) => Some(reason.as_str()),
        _ => None,
    });
    let contents = program.globals.values().filter_map(|global| match &global.initializer {
        Initializer::Unsupported(reason) => Some(reason.as_str()),
        _ => None,
    });
    terminators.chain(contents).collect()
}
