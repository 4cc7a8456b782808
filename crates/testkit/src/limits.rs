//! Programs and inputs that use up time or memory: the limits hold, as seen from outside.
//!
//! `tests/limits/table.txt` has the rows. The peak of the resident memory is read from `/proc`
//! while the command runs: it is a high-water mark, so that only what comes in the last few
//! milliseconds can be missed.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// By how much memory may be passed, in percent.
const OVER: u64 = 20;

/// By how much time may be passed.
const LATE: Duration = Duration::from_secs(1);

/// How soon what cannot work is refused.
const AT_ONCE: Duration = Duration::from_secs(2);

/// More is never waited for, nor given, whatever the limits are: the machine has other things to do.
const LONGEST: Duration = Duration::from_secs(150);
const MOST_MIB: u64 = 4096;

/// What stops a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The limit of this name.
    Limit(&'static str),
    /// Nothing is run.
    Refused,
    /// Which limit stops it first, if one does, depends on the machine.
    Any,
}

/// A row of the table.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// Whether it is quick enough for every test.
    pub quick: bool,
    /// The program, without `.c`.
    pub program: String,
    way: String,
    time: Option<u64>,
    memory: u64,
    end: End,
    exit: Option<i32>,
    flags: Vec<String>,
}

/// Reads the table.
pub fn rows(text: &str) -> anyhow::Result<Vec<Row>> {
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| row(line).with_context(|| format!("in `{line}`"))).collect()
}

fn row(line: &str) -> anyhow::Result<Row> {
    let columns: Vec<&str> = line.split('|').map(str::trim).collect();
    let [name, program, time, memory, end, exit, flags] = columns[..] else {
        bail!("there are {} columns instead of seven", columns.len());
    };
    let (program, way) = program.split_once(' ').context("a program and a way")?;
    let number = |text: &str| match text {
        "-" => Ok(None),
        _ => text.parse().map(Some).with_context(|| format!("`{text}` is no number")),
    };
    Ok(Row {
        name: name.trim_start_matches('*').to_owned(),
        quick: name.starts_with('*'),
        program: program.to_owned(),
        way: way.to_owned(),
        time: number(time)?,
        memory: number(memory)?.context("memory is always limited")?,
        end: match end {
            "time" => End::Limit("time"),
            "memory" => End::Limit("memory"),
            "refused" => End::Refused,
            "any" => End::Any,
            _ => bail!("`{end}` is no end"),
        },
        exit: number(exit)?.map(|exit| exit as i32),
        flags: flags.split_whitespace().map(str::to_owned).collect(),
    })
}

/// What a command took.
struct Taken {
    exit: Option<i32>,
    time: Duration,
    peak_mib: u64,
    stdout: Vec<u8>,
    stderr: String,
}

impl Row {
    /// Runs the row; what it took, or what is wrong.
    pub fn check(&self, umbra: &Path, program: &Path) -> anyhow::Result<String> {
        let scratch = tempfile::tempdir()?;
        let verb = if self.program == "versions" { "diff" } else { "run" };
        let mut command = Command::new(umbra);
        command.args([verb, "--json"]).current_dir(scratch.path());
        if verb == "diff" {
            command.arg("--no-replay");
        }
        if let Some(time) = self.time {
            command.args(["--max-time", &time.to_string()]);
        }
        command.args(["--max-memory", &self.memory.to_string()]).args(&self.flags);
        command.arg(program).arg(&self.way);
        let taken = run(&mut command, scratch.path())?;
        self.judge(&taken).with_context(|| {
            let said: String = taken.stderr.chars().take(2000).collect();
            format!("{:.2} s, {} MiB\n{said}", taken.time.as_secs_f64(), taken.peak_mib)
        })?;
        Ok(format!("{:6.2} s {:5} MiB", taken.time.as_secs_f64(), taken.peak_mib))
    }

    fn judge(&self, taken: &Taken) -> anyhow::Result<()> {
        let exit = taken.exit.context("it was ended by a signal, or took far too long")?;
        ensure!(self.exit.is_none_or(|wanted| wanted == exit), "exit status {exit}");
        let most = self.memory * (100 + OVER) / 100;
        ensure!(taken.peak_mib <= most, "more than {most} MiB");
        let limit = match (self.end, self.time) {
            (End::Refused, _) => AT_ONCE,
            (_, Some(time)) => Duration::from_secs(time) + LATE,
            (_, None) => LONGEST,
        };
        ensure!(taken.time <= limit, "it took longer than {:.0} s", limit.as_secs_f64());
        let End::Limit(name) = self.end else { return Ok(()) };
        let line = taken.stdout.split(|&byte| byte == b'\n').rfind(|line| !line.is_empty());
        let object: Value = serde_json::from_slice(line.context("nothing was printed")?)
            .context("the last line is no object")?;
        ensure!(object["exit"] == exit, "the object has another exit status: {object}");
        let hit = match &object["limits_hit"] {
            Value::Array(names) => names.iter().any(|hit| hit == name),
            // Of two versions: in words.
            _ => {
                let words = object["left_out"].as_object().into_iter().flat_map(|map| map.keys());
                words.into_iter().any(|words| words.contains(name))
            }
        };
        ensure!(hit, "the limit on {name} is not named: {object}");
        ensure!(object["complete"] != true, "it says that it is complete: {object}");
        Ok(())
    }
}

/// Runs a command and looks at it.
fn run(command: &mut Command, scratch: &Path) -> anyhow::Result<Taken> {
    let err = scratch.join("stderr");
    let start = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(fs::File::create(&err)?)
        .spawn()
        .context("starting umbra")?;
    let tail = child.stdout.take().map(|stdout| std::thread::spawn(move || tail_of(stdout)));
    let mut peak = 0;
    let status = loop {
        peak = peak.max(peak_mib(child.id()));
        if let Some(status) = child.try_wait()? {
            break Some(status);
        }
        if start.elapsed() > LONGEST || peak > MOST_MIB {
            // It may have ended meanwhile.
            let _ = child.kill();
            child.wait()?;
            break None;
        }
        std::thread::sleep(Duration::from_millis(3));
    };
    let time = start.elapsed();
    let stdout = tail.and_then(|tail| tail.join().ok()).unwrap_or_default();
    let stderr = String::from_utf8_lossy(&fs::read(&err)?).into_owned();
    let exit = status.and_then(|status| status.code());
    Ok(Taken { exit, time, peak_mib: peak, stdout, stderr })
}

/// The last MiB or so of a stream.
fn tail_of(mut stream: impl std::io::Read) -> Vec<u8> {
    const KEPT: usize = 1 << 20;
    let (mut tail, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    while let Ok(length @ 1..) = stream.read(&mut piece) {
        tail.extend_from_slice(&piece[..length]);
        if tail.len() > 2 * KEPT {
            tail.drain(..tail.len() - KEPT);
        }
    }
    tail
}

/// The largest resident size of a process so far; 0 if it has ended.
fn peak_mib(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kib: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    kib.unwrap_or(0).div_ceil(1024)
}
