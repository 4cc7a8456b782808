//! What recording costs: the median time of one invocation, bare and with a shim.
//!
//! `cargo run --release -p umbra-record --example overhead -- PROGRAM [ARGUMENTS]...`: the program is
//! copied to a temporary folder, which is also the working directory; `in` there is a small file.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

use umbra_record::{RecordConfig, Recorder};

/// Invocations of each kind.
const COUNT: usize = 400;
/// Calls this program again, below the recorder.
const MEASURE: &str = "--measure";

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let result = match arguments.split_first() {
        Some((first, [result, command @ ..])) if first == MEASURE => {
            measure(command).and_then(|median| fs::write(result, median.as_nanos().to_string()))
        }
        Some((program, rest)) => compare(Path::new(program), rest),
        None => Err(std::io::Error::other("usage: overhead PROGRAM [ARGUMENTS]...")),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("overhead: {error}");
            ExitCode::from(2)
        }
    }
}

/// The median time of an invocation.
fn measure(command: &[OsString]) -> std::io::Result<Duration> {
    let (program, arguments) =
        command.split_first().ok_or_else(|| std::io::Error::other("no program"))?;
    let mut times = Vec::with_capacity(COUNT);
    for _ in 0..COUNT {
        let start = Instant::now();
        Command::new(program)
            .args(arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .status()?;
        times.push(start.elapsed());
    }
    times.sort();
    Ok(times[COUNT / 2])
}

fn compare(program: &Path, arguments: &[OsString]) -> std::io::Result<()> {
    let folder = tempfile::tempdir()?;
    let copy = folder.path().join("program");
    fs::copy(program, &copy)?;
    fs::write(folder.path().join("in"), "a:b:c\n".repeat(10))?;
    std::env::set_current_dir(folder.path())?;
    let mut command = vec![copy.clone().into_os_string()];
    command.extend_from_slice(arguments);
    let bare = measure(&command)?;
    let result = folder.path().join("result");
    let this = std::env::current_exe()?.into_os_string();
    command.splice(0..0, [this, MEASURE.into(), result.clone().into()]);
    let config = RecordConfig::new(vec![copy], folder.path().join("store"));
    let summary =
        Recorder::new(config).run(&command, &mut |_| {}).map_err(std::io::Error::other)?;
    let recorded: u64 = fs::read_to_string(result)?.parse().map_err(std::io::Error::other)?;
    let recorded = Duration::from_nanos(recorded);
    println!(
        "bare {bare:.2?}, recorded {recorded:.2?}, extra {:.2?} (median of {COUNT}); {} recorded, {} cases; \
         conversion {:.0?} each",
        recorded.saturating_sub(bare),
        summary.recorded,
        summary.unique(),
        summary.conversion_time / COUNT as u32,
    );
    Ok(())
}
