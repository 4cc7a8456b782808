//! The names of searchers and of their compositions.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::batching::Batching;
use super::breadth_first::BreadthFirst;
use super::coverage_new::CoverageNew;
use super::depth_first::DepthFirst;
use super::distance::DistanceWeighted;
use super::interleaving::Interleaving;
use super::nearest::Nearest;
use super::priority::Priority;
use super::random_path::RandomPath;
use super::{Batch, Searcher};
use crate::terrain::Terrain;

/// Instructions of a turn, if nothing else is said.
const BATCH: u64 = 20_000;

/// Instructions of a long turn: most paths of small programs end within it.
const LONG_BATCH: u64 = 1_000_000;

/// A searcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SearchKind {
    /// The newest state first.
    DepthFirst,
    /// The oldest state first.
    BreadthFirst,
    /// A random walk down the tree of forks.
    RandomPath,
    /// States that are likely to run something new.
    CoverageNew,
    /// States that are near to code that has not run.
    DistanceWeighted,
    /// States that are the fewest branches away from a change.
    Nearest,
}

impl SearchKind {
    /// Every searcher that users may name: where nothing changes, no state is nearest.
    pub const ALL: [Self; 5] = [
        Self::DepthFirst,
        Self::BreadthFirst,
        Self::RandomPath,
        Self::CoverageNew,
        Self::DistanceWeighted,
    ];

    /// The stable name for command line, statistics and tests.
    pub const fn name(self) -> &'static str {
        match self {
            Self::DepthFirst => "depth-first",
            Self::BreadthFirst => "breadth-first",
            Self::RandomPath => "random-path",
            Self::CoverageNew => "coverage-new",
            Self::DistanceWeighted => "distance-weighted",
            Self::Nearest => "nearest",
        }
    }

    /// What users of KLEE call it.
    const fn alias(self) -> &'static str {
        match self {
            Self::DepthFirst => "dfs",
            Self::BreadthFirst => "bfs",
            Self::RandomPath => "random-path",
            Self::CoverageNew => "nurs:covnew",
            Self::DistanceWeighted => "nurs:md2u",
            Self::Nearest => "nearest",
        }
    }
}

/// A composition of searchers.
///
/// As text: the names of searchers, separated by commas, that take turns; `batch:N` among them sets
/// the length of a turn in instructions (`batch:0`: until the state forks).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    kinds: Vec<SearchKind>,
    batch: Batch,
}

impl Default for Search {
    fn default() -> Self {
        Self::new(vec![
            SearchKind::CoverageNew,
            SearchKind::RandomPath,
            SearchKind::DistanceWeighted,
        ])
    }
}

impl Search {
    /// These searchers in turn, with the turns that suit them.
    pub fn new(kinds: Vec<SearchKind>) -> Self {
        let batch = match kinds.as_slice() {
            [SearchKind::DepthFirst] | [] => Batch::ToTheEnd,
            [SearchKind::BreadthFirst] => Batch::UntilFork,
            _ => Batch::Instructions(BATCH),
        };
        Self { kinds, batch }
    }

    /// The newest state first.
    pub fn depth_first() -> Self {
        Self::new(vec![SearchKind::DepthFirst])
    }

    /// The newest state first, in long turns: one that does not end lets the others go on.
    pub fn patient() -> Self {
        Self::depth_first().with_batch(Batch::Instructions(LONG_BATCH))
    }

    /// The oldest state first.
    pub fn breadth_first() -> Self {
        Self::new(vec![SearchKind::BreadthFirst])
    }

    /// The oldest state first; every other turn is for a state that is near to a block of the terrain
    /// that has not run. Turns end at forks: in longer ones a state would run far along its own
    /// side of each branch, away from where it was chosen to go.
    pub fn steered() -> Self {
        Self::new(vec![SearchKind::BreadthFirst, SearchKind::DistanceWeighted])
            .with_batch(Batch::UntilFork)
    }

    /// The state nearest to a change first, mostly; in other turns one that is likely to run something new. Paths are
    /// followed to their ends, since only there is it seen whether the versions did the same.
    pub fn around() -> Self {
        Self::new(vec![SearchKind::Nearest, SearchKind::Nearest, SearchKind::CoverageNew])
            .with_batch(Batch::Instructions(LONG_BATCH))
    }

    /// The same where changes have not run: in every other turn the state that is likely to reach one soon.
    pub fn around_and_steered() -> Self {
        let [steered, nearest, new] =
            [SearchKind::DistanceWeighted, SearchKind::Nearest, SearchKind::CoverageNew];
        Self::new(vec![steered, nearest, steered, new]).with_batch(Batch::Instructions(LONG_BATCH))
    }

    /// The same searchers with turns of another length.
    pub fn with_batch(self, batch: Batch) -> Self {
        Self { batch, ..self }
    }

    /// Whether one of the searchers looks ahead.
    pub fn needs_terrain(&self) -> bool {
        self.kinds.contains(&SearchKind::DistanceWeighted)
    }

    /// A searcher of this kind; where there is no terrain, those that need it walk random
    /// paths instead.
    pub fn searcher(&self, seed: u64, terrain: Option<&Arc<Terrain>>) -> Box<dyn Searcher> {
        let mut searchers: Vec<Box<dyn Searcher>> = Vec::new();
        for (index, kind) in self.kinds.iter().enumerate() {
            let seed = seed.wrapping_add(index as u64);
            searchers.push(match (kind, terrain) {
                (SearchKind::DepthFirst, _) => Box::new(DepthFirst::default()),
                (SearchKind::BreadthFirst, _) => Box::new(BreadthFirst::default()),
                (SearchKind::Nearest, _) => Box::new(Nearest::default()),
                (SearchKind::CoverageNew, terrain) => {
                    Box::new(CoverageNew::new(seed, terrain.cloned()))
                }
                (SearchKind::DistanceWeighted, Some(terrain)) => {
                    Box::new(DistanceWeighted::new(seed, Arc::clone(terrain)))
                }
                (SearchKind::RandomPath | SearchKind::DistanceWeighted, _) => {
                    Box::new(RandomPath::new(seed))
                }
            });
        }
        let one = match searchers.len() {
            0 => Box::new(DepthFirst::default()),
            1 => searchers.remove(0),
            _ => Box::new(Interleaving::new(searchers)),
        };
        let batched = match self.batch {
            Batch::Instructions(instructions) => Box::new(Batching::new(one, instructions)),
            Batch::ToTheEnd | Batch::UntilFork => one,
        };
        Box::new(Priority::new(batched))
    }
}

impl fmt::Display for Search {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.kinds.iter().map(|kind| kind.name()).collect();
        f.write_str(&names.join(","))?;
        match self.batch {
            batch if batch == Self::new(self.kinds.clone()).batch => Ok(()),
            Batch::Instructions(instructions) => write!(f, ",batch:{instructions}"),
            Batch::UntilFork | Batch::ToTheEnd => f.write_str(",batch:0"),
        }
    }
}

/// There is no searcher of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSearch {
    /// What was asked for.
    pub name: String,
}

impl fmt::Display for UnknownSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown searcher `{}`; there are", self.name)?;
        for kind in SearchKind::ALL {
            write!(f, " {}", kind.name())?;
        }
        f.write_str(", joined by commas, and batch:N")
    }
}

impl std::error::Error for UnknownSearch {}

impl FromStr for Search {
    type Err = UnknownSearch;

    fn from_str(text: &str) -> Result<Self, UnknownSearch> {
        let mut kinds = Vec::new();
        let mut batch = None;
        for name in text.split(',').map(str::trim) {
            let unknown = || UnknownSearch { name: name.to_owned() };
            if let Some(number) = name.strip_prefix("batch:") {
                batch = Some(match number.parse().map_err(|_| unknown())? {
                    0 => Batch::UntilFork,
                    instructions => Batch::Instructions(instructions),
                });
                continue;
            }
            let found = SearchKind::ALL
                .into_iter()
                .find(|kind| [kind.name(), kind.alias()].contains(&name));
            kinds.push(found.ok_or_else(unknown)?);
        }
        if kinds.is_empty() {
            kinds = Self::default().kinds;
        }
        let search = Self::new(kinds);
        Ok(match batch {
            Some(batch) => search.with_batch(batch),
            None => search,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_and_printed() {
        for (text, printed) in [
            ("dfs", "depth-first"),
            ("bfs", "breadth-first"),
            ("random-path", "random-path"),
            ("nurs:covnew", "coverage-new"),
            ("nurs:md2u, dfs", "distance-weighted,depth-first"),
            ("random-path,batch:500", "random-path,batch:500"),
            ("batch:0", "coverage-new,random-path,distance-weighted,batch:0"),
        ] {
            let search: Search = text.parse().expect(text);
            assert_eq!(search.to_string(), printed);
            assert_eq!(printed.parse(), Ok(search));
        }
        let default = Search::default();
        assert_eq!(default.to_string().parse(), Ok(default));
    }

    #[test]
    fn wrong_names_are_refused() {
        for text in ["", "dfs,", "nurs", "batch:x"] {
            assert!(text.parse::<Search>().is_err(), "{text}");
        }
        let error = "best".parse::<Search>().expect_err("there is none of this name");
        assert!(error.to_string().contains("`best`") && error.to_string().contains("depth-first"));
    }
}
