//! What a state costs: `forks PROGRAM.bc`.
//!
//! Runs the program to its first symbolic branch, forks it there a hundred thousand times, lets every
//! state run on a little and parks it again. Quoted are CPU times, the bytes that a state says it
//! uses, and the growth of the resident memory, which includes what states do not share any more.

use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use umbra_engine::{
    Fork, Forks, Image, Inputs, Limits, Machine, Memory, OtherSide, Parked, Path, Process, Shared,
    State, UninitialisedReads,
};
use umbra_expr::Assignment;

const STATES: usize = 100_000;

/// Drops every other side, and has the machine stop behind the first.
#[derive(Default)]
struct Stopping {
    stops: bool,
    met: bool,
}

impl Forks for Stopping {
    fn other_side(&mut self, _: &mut Shared, _: &Path, _: &Fork) -> OtherSide {
        self.met = self.stops;
        OtherSide::Drop
    }

    fn keep(&mut self, _: Parked, _: &Fork) {}

    fn wants_pause(&self) -> bool {
        self.met
    }
}

/// Resident memory in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    let pages = text.split(' ').nth(1).and_then(|pages| pages.parse::<usize>().ok());
    pages.unwrap_or(0) * 4096
}

/// CPU time of this thread, which is all there is.
fn cpu_time() -> Duration {
    let now = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
}

fn report(what: &str, start: Duration, before: usize, states: &[Parked]) {
    let time = (cpu_time() - start) / STATES as u32;
    let grown = resident().saturating_sub(before) / STATES;
    let own = states.iter().map(Parked::bytes).sum::<usize>() / STATES;
    println!(
        "{what:30} {time:9.2?} {:10.0} a second {own:6} bytes own {grown:6} resident",
        1e9 / time.as_nanos() as f64
    );
}

fn main() {
    let Some(path) = std::env::args().nth(1) else {
        return eprintln!("usage: forks PROGRAM.bc [ARGUMENT...]");
    };
    let program = umbra_ir::load_bitcode(FilePath::new(&path)).expect("the program can be read");
    let limits = Limits::default();
    let mut memory = Memory::new(limits.memory, UninitialisedReads::Zero);
    let image = Image::new(Arc::new(program), &mut memory, Inputs::Symbolic);
    let mut shared = Shared::new(&image);
    let kernel = umbra_os::Kernel::new(umbra_os::Config::default()).expect("a kernel can be made");
    let mut state = State::new(memory, Box::new(kernel), limits);
    state.path = Path::new(Assignment::new());
    let arguments: Vec<Vec<u8>> = std::env::args().skip(1).map(String::into_bytes).collect();
    let process = Process::concrete(&arguments, &[], [0; 4]);

    let mut forks = Stopping { stops: true, met: false };
    let mut machine = Machine::new(&image, &mut state, &mut shared, &mut forks);
    machine.start(&process).expect("the program starts");
    let ended = machine.run(100_000_000);
    println!(
        "first branch after {} instructions{}",
        state.instructions(),
        match ended {
            None => String::new(),
            Some(ended) => format!(" ({})", ended.name()),
        }
    );

    let (start, before) = (cpu_time(), resident());
    let mut states: Vec<Parked> = (0..STATES).map(|_| state.fork(&image)).collect();
    report("fork", start, before, &states);

    for instructions in [100, 10_000] {
        let (start, before) = (cpu_time(), resident());
        for parked in &mut states {
            let unused = state.fork(&image);
            state.resume(&image, std::mem::replace(parked, unused));
            let mut forks = Stopping::default();
            Machine::new(&image, &mut state, &mut shared, &mut forks).run(instructions);
            *parked = state.fork(&image);
        }
        report(&format!("resume, run {instructions}, park"), start, before, &states);
    }
    let start = cpu_time();
    drop(states);
    println!("{:30} {:9.2?}", "drop", (cpu_time() - start) / STATES as u32);
}
