//! The command line of `bench regressions`.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Context, bail};

use super::outcome::Half;

const USAGE: &str =
    "usage: bench regressions run UMBRA RESULTS [--half tuning|held-out] [--time SECONDS] [--check] [NAME...]
       bench regressions table RESULTS [--all]";

/// Seconds for one entry, unless it is said.
const SECONDS: u64 = 120;

/// What to do.
pub enum Arguments {
    Run(RunArguments),
    Table { results: PathBuf, all: bool },
}

/// Which entries are tried, and how.
pub struct RunArguments {
    pub umbra: PathBuf,
    pub results: PathBuf,
    /// Only this half.
    pub half: Option<Half>,
    /// What `umbra diff` gets for one entry.
    pub seconds: u64,
    /// With `umbra check` in place of `umbra diff`.
    pub check: bool,
    /// Only these entries, if there are any.
    pub names: Vec<String>,
}

impl Arguments {
    /// Reads the words after `regressions`.
    pub fn parse(words: &[OsString]) -> anyhow::Result<Self> {
        let (mut plain, mut half, mut seconds) = (Vec::new(), None, SECONDS);
        let (mut all, mut check) = (false, false);
        let mut words = words.iter().map(|word| word.to_str().context(USAGE));
        while let Some(word) = words.next().transpose()? {
            let mut value = || words.next().context(USAGE)?;
            match word {
                "--half" => half = Some(value()?.parse()?),
                "--time" => seconds = value()?.parse().context("--time needs seconds")?,
                "--all" => all = true,
                "--check" => check = true,
                flag if flag.starts_with('-') => bail!("{flag} is no flag\n{USAGE}"),
                word => plain.push(word),
            }
        }
        match *plain {
            ["run", umbra, results, ref names @ ..] if !all => Ok(Self::Run(RunArguments {
                umbra: umbra.into(),
                results: results.into(),
                half,
                seconds,
                check,
                names: names.iter().map(|&name| name.to_owned()).collect(),
            })),
            ["table", results] => Ok(Self::Table { results: results.into(), all }),
            _ => bail!(USAGE),
        }
    }
}
