//! The commands of one attempt: run in the package's repository, kept word by word, what they say kept in a file.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, anyhow, ensure};
use serde_json::Value;

/// How Umbra is called.
pub struct Tool {
    pub umbra: PathBuf,
    pub repository: PathBuf,
    /// Where everything goes that is said on standard error.
    pub log: File,
    /// What was run.
    pub commands: Vec<String>,
}

impl Tool {
    /// Makes both versions of an entry, and works in their repository from now on.
    pub fn fetch(&mut self, script: &Path, name: &str) -> anyhow::Result<()> {
        self.commands.push(format!("scripts/regression-sources {name}"));
        let output = Command::new(script).arg(name).stdin(Stdio::null()).output();
        let output = output.with_context(|| format!("starting {}", script.display()))?;
        self.log.write_all(&output.stderr)?;
        let said = String::from_utf8_lossy(&output.stderr);
        ensure!(output.status.success(), "{}", telling_line(&said));
        // Its name, its half, the repository.
        let line = String::from_utf8(output.stdout)?;
        let path = line.trim_end().splitn(3, ' ').nth(2).context("no repository was printed")?;
        self.repository = path.into();
        Ok(())
    }

    /// Runs a command of Umbra with `--json` and returns its object. One that takes longer than so many seconds is
    /// ended and has failed.
    pub fn call(&mut self, seconds: u64, words: &[&OsStr]) -> anyhow::Result<Value> {
        let words = [words, &[OsStr::new("--json")]].concat();
        self.commands.push(shell_line(&self.umbra, &words));
        // In the foreground, so that an interrupt at the terminal ends it too.
        let output = Command::new("timeout")
            .args(["--foreground", "--kill-after=10", &seconds.to_string()])
            .arg(&self.umbra)
            .args(&words)
            .current_dir(&self.repository)
            .stdin(Stdio::null())
            .stderr(self.log.try_clone()?)
            .output()
            .context("starting timeout")?;
        ensure!(output.status.code() != Some(124), "ended after {seconds} s");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let object: Value = stdout
            .lines()
            .next_back()
            .and_then(|line| serde_json::from_str(line).ok())
            .with_context(|| format!("{} and no object", output.status))?;
        match object["error"].as_str() {
            Some(error) => Err(anyhow!("{}", telling_line(error))),
            None => Ok(object),
        }
    }
}

/// The line of an error that says what is wrong: the compiler's last complaint (those before may be of a configure
/// script), else make's first, else the last line that does not only name a log.
fn telling_line(error: &str) -> &str {
    let lines = || error.lines().map(str::trim);
    let compiler = lines().rfind(|line| line.contains("error: "));
    let make = || lines().find(|line| line.contains("*** "));
    let last = || lines().rfind(|line| !line.is_empty() && !line.starts_with("all output is in "));
    compiler.or_else(make).or_else(last).unwrap_or(error)
}

/// A command as one would type it.
fn shell_line(program: &Path, words: &[&OsStr]) -> String {
    let words = words.iter().map(OsString::from);
    let words: Vec<String> = [program.into()].into_iter().chain(words).map(quoted).collect();
    words.join(" ")
}

fn quoted(word: OsString) -> String {
    let word = word.to_string_lossy();
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=+,@".contains(c);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into_owned(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_can_be_typed_again() {
        let words = ["diff", "--range", "a-old..a-new", "it's", ""].map(OsStr::new);
        let line = shell_line(Path::new("bin/umbra"), &words);
        assert_eq!(line, r"bin/umbra diff --range a-old..a-new 'it'\''s' ''");
    }

    #[test]
    fn a_complaint_tells_most() {
        let made =
            "make failed:\n a.c:1:1: error: no x\n make: *** [a.o] Error 1\nall output is in a";
        assert_eq!(telling_line(made), "a.c:1:1: error: no x");
        let made = "make: *** No targets.  Stop.\nmake: *** Error 1\nall output is in a";
        assert_eq!(telling_line(made), "make: *** No targets.  Stop.");
        assert_eq!(telling_line("failed\n  it: not found\nall output is in a"), "it: not found");
    }
}
