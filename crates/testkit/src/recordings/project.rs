//! A project in a git repository, and the command line on it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use anyhow::{Context, bail, ensure};
use serde_json::Value;

/// A checkout with an `umbra.toml`.
pub struct Project {
    /// The command.
    pub umbra: PathBuf,
    /// The folder of the checkout.
    pub folder: PathBuf,
}

impl Project {
    /// Runs the command in the project and returns the object it ends with. Findings are no failure.
    pub fn umbra(&self, args: &[&str]) -> anyhow::Result<Value> {
        let output = self.run(args)?;
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().last().unwrap_or_default();
        match output.status.code() {
            Some(0 | 1) => serde_json::from_str(last)
                .with_context(|| format!("umbra {args:?} ended with {last:?}")),
            _ => bail!("umbra {args:?}: {}", String::from_utf8_lossy(&output.stderr)),
        }
    }

    fn run(&self, args: &[&str]) -> anyhow::Result<Output> {
        let mut command = Command::new(&self.umbra);
        command.args(args).current_dir(&self.folder);
        command.output().with_context(|| format!("running {}", self.umbra.display()))
    }

    /// Lets the command write an `umbra.toml`.
    pub fn init(&self) -> anyhow::Result<()> {
        let output = self.run(&["init", "--force"])?;
        ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// The executables of a revision, built for analysis, by the names of programs.
    pub fn build(&self, revision: &str) -> anyhow::Result<BTreeMap<String, PathBuf>> {
        let object = self.umbra(&["build", "--json", revision])?;
        let programs = object["builds"][0]["programs"].as_array().context("no programs")?;
        let pairs = programs.iter().map(|program| {
            let text = |key: &str| program[key].as_str().unwrap_or_default().to_owned();
            (text("name"), PathBuf::from(text("executable")))
        });
        Ok(pairs.collect())
    }
}

/// Makes a git repository of a folder's files, as one commit with this tag.
pub fn commit(folder: &Path, tag: &str) -> anyhow::Result<()> {
    let git = |args: &[&str]| -> anyhow::Result<()> {
        let mut command = Command::new("git");
        command.args(["-c", "user.name=test", "-c", "user.email=test@localhost"]);
        command.args(["-c", "commit.gpgSign=false", "-c", "tag.gpgSign=false"]);
        let output = command.args(args).current_dir(folder).output().context("running git")?;
        ensure!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    };
    if !folder.join(".git").exists() {
        git(&["-c", "init.defaultBranch=main", "init", "--quiet"])?;
    }
    git(&["add", "--all", "--force"])?;
    git(&["commit", "--quiet", "--message", tag])?;
    git(&["tag", tag])
}
