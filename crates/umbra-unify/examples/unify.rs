//! Unifies two bitcode files and prints what became of them: `unify [--program|--correspondence] OLD.bc NEW.bc`.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let flag = arguments.first().filter(|argument| argument.starts_with("--")).cloned();
    if flag.is_some() {
        arguments.remove(0);
    }
    let [old, new] = arguments.as_slice() else {
        eprintln!("usage: unify [--program|--correspondence] OLD.bc NEW.bc");
        return ExitCode::from(2);
    };
    let load = |path: &String| umbra_ir::load_bitcode(Path::new(path));
    let (old, new) = match (load(old), load(new)) {
        (Ok(old), Ok(new)) => (old, new),
        (Err(error), _) | (_, Err(error)) => {
            eprintln!("unify: {error}");
            return ExitCode::from(2);
        }
    };
    let read = |_, file: &umbra_ir::SourceFile| std::fs::read_to_string(file.path()).ok();
    let start = Instant::now();
    let unified = match umbra_unify::unify(&old, &new, &read) {
        Ok(unified) => unified,
        Err(error) => {
            eprintln!("unify: {error}");
            return ExitCode::from(2);
        }
    };
    let took = start.elapsed();
    match flag.as_deref() {
        Some("--program") => {
            for function in &unified.statistics.changed {
                print!("{}", unified.program.display_function(function.function));
            }
        }
        Some("--correspondence") => print!("{}", unified.correspondence),
        _ => {
            let statistics = &unified.statistics;
            println!(
                "{} shared, {} changed, {} added, {} removed, {} globals; share {}; {took:.1?}; {:?}",
                statistics.shared,
                statistics.changed.len(),
                statistics.added,
                statistics.removed,
                statistics.changed_globals,
                statistics.share(),
                unified.correspondence.noise,
            );
            for f in &statistics.changed {
                println!(
                    "  {}: {} strong, {} weak, {} old, {} new; {} changes, {} version branches{}{}",
                    f.name,
                    f.strong,
                    f.weak,
                    f.old_only,
                    f.new_only,
                    f.changes,
                    f.version_branches,
                    if f.ripples { ", ripples" } else { "" },
                    if f.two_copies { ", two copies" } else { "" },
                );
            }
        }
    }
    ExitCode::SUCCESS
}
