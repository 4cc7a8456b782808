//! What a run did, and how two runs differ.

use std::fmt::Write;

use super::tree::Tree;

/// Everything about a run that is compared.
#[derive(Debug)]
pub struct Outcome {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// Standard error.
    pub stderr: Vec<u8>,
    /// The tree left behind; none if it could not be had.
    pub tree: Option<Tree>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With an exit status; 128 and the signal's number after a signal, as shells have it.
    Status(i32),
    /// It was stopped after so many seconds.
    TimedOut(u64),
}

impl Outcome {
    /// A description of each channel that is not as expected. Empty means equal.
    pub fn differences(&self, expected: &Outcome) -> Vec<String> {
        let mut all = Vec::new();
        if self.end != expected.end {
            all.push(format!("exit status: {:?}, found {:?}", expected.end, self.end));
        }
        for (name, expected, found) in
            [("stdout", &expected.stdout, &self.stdout), ("stderr", &expected.stderr, &self.stderr)]
        {
            if expected != found {
                all.push(format!("{name}:\n{}", show_lines(expected, found)));
            }
        }
        match (&self.tree, &expected.tree) {
            (Some(found), Some(expected)) => {
                let lines = found.differences(expected);
                if !lines.is_empty() {
                    all.push(format!("tree:\n{}", indent(&lines)));
                }
            }
            (None, Some(_)) => all.push("tree: none was left".into()),
            (_, None) => {}
        }
        all
    }
}

/// The lines around the first difference of two texts: expected ones after `-`, found ones after
/// `+`.
fn show_lines(expected: &[u8], found: &[u8]) -> String {
    const SHOWN: usize = 8;
    let lines = |text: &[u8]| -> Vec<String> {
        text.split_inclusive(|&byte| byte == b'\n')
            .map(|line| line.escape_ascii().to_string())
            .collect()
    };
    let (expected, found) = (lines(expected), lines(found));
    let same = expected.iter().zip(&found).take_while(|(left, right)| left == right).count();
    let mut text = String::new();
    let _ = writeln!(
        text,
        "    line {} of {} expected, {} found",
        same + 1,
        expected.len(),
        found.len()
    );
    for (mark, lines) in [('-', &expected), ('+', &found)] {
        for line in lines.iter().skip(same).take(SHOWN) {
            let _ = writeln!(text, "    {mark} {line:.400}");
        }
    }
    text
}

/// Where two byte strings part, in one line.
pub fn first_difference(expected: &[u8], found: &[u8]) -> String {
    let at = expected.iter().zip(found).take_while(|(left, right)| left == right).count();
    let show = |bytes: &[u8]| {
        bytes.iter().skip(at).take(40).copied().collect::<Vec<_>>().escape_ascii().to_string()
    };
    format!("at byte {at}: \"{}\" and \"{}\"", show(expected), show(found))
}

fn indent(lines: &[String]) -> String {
    lines.iter().fold(String::new(), |text, line| text + "    " + line + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(status: i32, stdout: &str) -> Outcome {
        Outcome { end: End::Status(status), stdout: stdout.into(), stderr: Vec::new(), tree: None }
    }

    #[test]
    fn equal() {
        assert!(outcome(0, "a\n").differences(&outcome(0, "a\n")).is_empty());
    }

    #[test]
    fn different() {
        let found = outcome(1, "a\nb\n").differences(&outcome(0, "a\nc\n"));
        assert_eq!(
            found,
            [
                "exit status: Status(0), found Status(1)",
                "stdout:\n    line 2 of 2 expected, 2 found\n    - c\\n\n    + b\\n\n",
            ]
        );
    }
}
