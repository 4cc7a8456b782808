//! What came of one entry, as it is kept in the folder of results.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The half that a search is tuned on, and the one that nobody looks at meanwhile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Half {
    Tuning,
    HeldOut,
}

impl FromStr for Half {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Self> {
        match text {
            "tuning" => Ok(Self::Tuning),
            "held-out" => Ok(Self::HeldOut),
            _ => bail!("{text} is no half: tuning or held-out"),
        }
    }
}

/// What a difference was first seen in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Phase {
    /// A seed, replayed natively.
    Suite,
    /// A test in another shape, run natively.
    Shape,
    /// The path of a seed in the engine, with other data.
    Seed,
    /// A path beside it.
    Concolic,
    /// A path behind a divergence.
    Bounded,
    /// A path around that of a seed.
    Around,
}

/// One entry.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Outcome {
    pub name: String,
    pub half: Half,
    /// Of Umbra.
    pub revision: String,
    /// What `umbra diff` was given.
    pub budget_s: u64,
    /// What was run, in order, in the repository of the package.
    pub commands: Vec<String>,
    /// What ended the attempt early, with a line of the error.
    pub failure: Option<String>,
    /// What native runs show of the bad input.
    pub bad: Option<Shown>,
    /// The same with sanitizers, for bugs that may need them.
    pub bad_sanitized: Option<Shown>,
    /// What native runs show of the seeds.
    pub seeds: Option<Shown>,
    pub search: Option<Search>,
    /// Whether a native run of both versions shows a difference on a seed or on what was found near them.
    pub found: bool,
    pub phase: Option<Phase>,
    /// Seconds from the start of `umbra diff` to when the first test case was written that shows a difference without sanitizers.
    #[serde(default)]
    pub found_s: Option<f64>,
    /// Whether only builds with sanitizers show it.
    pub needs_sanitizer: bool,
}

/// What native runs of both versions show.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Shown {
    /// How many cases are of each class.
    pub classes: BTreeMap<String, u64>,
    /// The differences of the most important case, as `umbra replay` prints them.
    pub differences: Value,
}

impl Shown {
    /// Whether the versions differ on any of the cases.
    pub fn differs(&self) -> bool {
        self.classes.iter().any(|(class, &count)| count > 0 && super::judge::is_visible(class))
    }
}

/// What `umbra diff` did.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Search {
    /// Divergences that native runs show, those that they do not, and those of which they do not tell.
    pub visible: usize,
    pub silent: usize,
    pub untold: usize,
    /// Of those that are not visible: how many the engine takes for a regression.
    pub only_engine: usize,
    /// Changes of the program, and those that the tests reach.
    pub changes: usize,
    pub reached: usize,
    /// Seconds from start to end, and those of exploration and of native runs.
    pub wall_s: f64,
    pub execute_s: f64,
    pub replay_s: f64,
    /// The part of the budget in which paths were explored.
    pub share: f64,
}

impl Outcome {
    /// The file of an entry's result.
    pub fn path(results: &Path, name: &str) -> PathBuf {
        results.join(format!("{name}.json"))
    }

    /// Writes the result; a file that is there is complete.
    pub fn write(&self, results: &Path) -> anyhow::Result<()> {
        let path = Self::path(results, &self.name);
        let unfinished = path.with_extension("json-new");
        fs::write(&unfinished, serde_json::to_vec_pretty(self)?)?;
        fs::rename(&unfinished, &path).with_context(|| format!("writing {}", path.display()))
    }

    /// All results of a folder: the tuning half first, by name.
    pub fn read_all(results: &Path) -> anyhow::Result<Vec<Self>> {
        let files =
            fs::read_dir(results).with_context(|| format!("reading {}", results.display()))?;
        let mut outcomes = Vec::new();
        for file in files {
            let path = file?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                let text = fs::read(&path)?;
                let outcome: Self = serde_json::from_slice(&text)
                    .with_context(|| format!("reading {}", path.display()))?;
                outcomes.push(outcome);
            }
        }
        outcomes.sort_by(|one, other| (one.half, &one.name).cmp(&(other.half, &other.name)));
        Ok(outcomes)
    }

    /// Whether both versions build and the bad input shows a difference.
    pub fn is_usable(&self) -> bool {
        [&self.bad, &self.bad_sanitized].into_iter().flatten().any(Shown::differs)
    }

    /// In a few words.
    pub fn verdict(&self) -> String {
        match (&self.failure, self.phase) {
            (Some(failure), _) => failure.clone(),
            (None, _) if !self.is_usable() => "the bad input shows nothing".to_owned(),
            (None, Some(_)) if self.needs_sanitizer => "found with sanitizers".to_owned(),
            (None, Some(_)) => "found".to_owned(),
            (None, None) => "not found".to_owned(),
        }
    }
}
