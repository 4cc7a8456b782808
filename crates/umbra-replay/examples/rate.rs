//! Replays per second: `rate PROGRAM [RUNS] [WORKERS] [namespaces|landlock] [-- ARGUMENTS]`.
//!
//! Started without arguments by itself, it is the sandbox's process.

use std::process::ExitCode;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use umbra_case::{Case, Entry};
use umbra_replay::{Confinement, Launcher, Limits, Pool, Program, Run};

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        return umbra_replay::sandbox_main();
    }
    let split = arguments.iter().position(|argument| argument == "--");
    let for_program: Vec<Vec<u8>> = split
        .map(|at| arguments.split_off(at).into_iter().skip(1).map(String::into_bytes).collect())
        .unwrap_or_default();
    let number = |index: usize, otherwise: usize| {
        arguments.get(index).and_then(|text| text.parse().ok()).unwrap_or(otherwise)
    };
    let (count, workers) = (number(1, 1000), number(2, 2));
    let confinement = match arguments.get(3).map(String::as_str) {
        Some("landlock") => Confinement::Landlock,
        _ => Confinement::Namespaces,
    };
    let launcher = Launcher {
        program: "/proc/self/exe".into(),
        arguments: Vec::new(),
        scratch: std::env::temp_dir(),
        landlock_at_most: None,
        without_group: false,
    };
    let measured = Program::open(&arguments[0]).and_then(|program| {
        let pool = Pool::start(&launcher, confinement, workers)?;
        let case = Case {
            program: b"program".to_vec(),
            arguments: for_program,
            tree: vec![Entry::file("a", "a\tb\n".repeat(100)), Entry::file("d/b", "b\n")],
            ..Case::default()
        };
        let runs = vec![Run { case: &case, program: &program }; count];
        let start = Instant::now();
        let results = pool.run(&runs, &Limits::default(), &AtomicBool::new(false));
        let seconds = start.elapsed().as_secs_f64();
        let first = results.into_iter().collect::<Result<Vec<_>, _>>()?.swap_remove(0);
        let rate = count as f64 / seconds;
        println!("{rate:.0} runs/s on {workers} workers; the first: {}", first.end);
        if let Some(blocks) = first.blocks {
            println!("{} of {} blocks ran", blocks.ran().count(), blocks.0.len());
        }
        Ok(())
    });
    match measured {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("rate: {error}");
            ExitCode::from(2)
        }
    }
}
