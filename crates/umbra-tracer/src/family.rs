//! The processes below another one, as /proc lists them.
//!
//! A snapshot: processes come and go while it is taken.

use std::collections::BTreeMap;
use std::fs;

/// A process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Process {
    /// Its number.
    pub id: u32,
    /// The number of its parent.
    pub parent: u32,
    /// When it was started, in the kernel's ticks: tells it from an earlier one of the same number.
    pub started: u64,
    /// The kernel's letter for what it does: `R` runs, `S` and `D` wait, `T` and `t` are stopped, `Z` has ended.
    pub state: char,
}

/// All processes below `ancestor`, without those that have ended, parents before children.
pub fn descendants(ancestor: u32) -> Vec<Process> {
    let mut children: BTreeMap<u32, Vec<Process>> = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        let process = id.and_then(|id| {
            let text = fs::read(format!("/proc/{id}/stat")).ok()?;
            parse(id, &String::from_utf8_lossy(&text))
        });
        if let Some(process) = process {
            children.entry(process.parent).or_default().push(process);
        }
    }
    let mut found = children.remove(&ancestor).unwrap_or_default();
    let mut next = 0;
    while let Some(process) = found.get(next) {
        let below = children.remove(&process.id).unwrap_or_default();
        found.extend(below);
        next += 1;
    }
    found.retain(|process| process.state != 'Z');
    found
}

/// The line of a process; its name, in parentheses, may hold anything.
fn parse(id: u32, line: &str) -> Option<Process> {
    let mut fields = line.rsplit_once(')')?.1.split_whitespace();
    let state = fields.next()?.chars().next()?;
    let parent = fields.next()?.parse().ok()?;
    // Field 22 of the whole line; two are behind us.
    let started = fields.nth(17)?.parse().ok()?;
    Some(Process { id, parent, started, state })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_hold_anything() {
        let line = "77 (a) R 1 (b) S 12 77 77 0 -1 4194560 1 0 0 0 3 4 0 0 20 0 1 0 98765 1 1";
        let process = parse(77, line).unwrap();
        assert_eq!((process.parent, process.state, process.started), (12, 'S', 98765));
    }

    #[test]
    fn children_are_found() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let found = descendants(std::process::id());
        let is_child = |process: &Process| {
            process.id == child.id() && process.parent == std::process::id() && process.started > 0
        };
        assert!(found.iter().any(is_child), "{found:?}");
        child.kill().unwrap();
        child.wait().unwrap();
    }
}
