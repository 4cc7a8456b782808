//! The process that searches in one program, and who waits for it.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::order::{SearchOrder, Searched};
use crate::Error;

/// The argument with which the command that uses this crate is started again, to search.
pub const SEARCH: &str = "__search";

/// Time between two looks at the process.
const LOOK: Duration = Duration::from_millis(50);

/// Time that a process has to end by itself when it is to stop, or its time is up.
const PATIENCE: Duration = Duration::from_secs(90);

/// What became of a search.
pub enum End {
    /// It has an answer.
    Answered(Searched),
    /// The process has ended without one, after it said this. Test cases may be in the folder.
    Died(String),
}

/// Starts this program again to do what an order in a file says, and waits for it. Returns the last line that it has said.
pub fn wait(
    (command, file): (&str, &Path),
    most: Duration,
    stop: &AtomicBool,
    seen: &mut dyn FnMut(Duration),
) -> Result<String, Error> {
    let own = std::env::current_exe().map_err(Error::OwnProgram)?;
    let mut started = Command::new(own);
    // Its standard input ends with us: then it ends, whatever ended us.
    started
        .arg(command)
        .arg(file)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let mut child = Ended(started.spawn().map_err(Error::OwnProgram)?);
    let said = child.0.stderr.take().map(|mut stderr| {
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            text
        })
    });
    let start = Instant::now();
    let mut last = start + most + PATIENCE;
    let mut asked = false;
    loop {
        if child.0.try_wait().map_err(Error::OwnProgram)?.is_some() {
            break;
        }
        if stop.load(Ordering::Relaxed) && !asked {
            asked = true;
            last = last.min(Instant::now() + PATIENCE);
            let pid = Pid::from_child(&child.0);
            // One that has just ended needs no signal.
            let _ = kill_process(pid, Signal::TERM);
        }
        if Instant::now() >= last {
            // It is killed when the value goes.
            break;
        }
        seen(start.elapsed());
        std::thread::sleep(LOOK);
    }
    drop(child);
    let said = said.and_then(|said| said.join().ok()).unwrap_or_default();
    Ok(last_line(&said))
}

/// Searches in another process, unless that was done before. `seen` is told how many test cases there are, and how long it
/// has taken.
pub fn search(
    order: &SearchOrder,
    stop: &AtomicBool,
    seen: &mut dyn FnMut(usize, Duration),
) -> Result<(End, bool), Error> {
    if let Some(answer) = order.answer() {
        return Ok((End::Answered(answer), true));
    }
    order.forget();
    let file = order.write()?;
    let most = order.job.limits.time.unwrap_or(Duration::MAX / 4) + order.job.native.all;
    let said = wait((SEARCH, &file), most, stop, &mut |elapsed| seen(cases(order), elapsed))?;
    Ok(match order.answer().or_else(|| order.so_far()) {
        Some(answer) => (End::Answered(answer), false),
        None => (End::Died(said), false),
    })
}

/// A process that does not outlive the value.
struct Ended(Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Test cases in the folder so far.
fn cases(order: &SearchOrder) -> usize {
    fs::read_dir(order.folder.join("cases")).map_or(0, Iterator::count)
}

fn last_line(said: &str) -> String {
    let line = said.lines().rev().find(|line| !line.trim().is_empty());
    let line = line.unwrap_or("the process was killed");
    line.strip_prefix("umbra: ").unwrap_or(line).to_owned()
}
