//! `--search`: the names of searchers.

use std::str::FromStr;

use umbra_strategy::Search;

/// Which searcher was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchChoice(pub Search);

/// Names, those that users of KLEE know, and searchers.
const NAMES: [(&str, &str, Search); 2] =
    [("depth-first", "dfs", Search::DepthFirst), ("breadth-first", "bfs", Search::BreadthFirst)];

impl FromStr for SearchChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = NAMES.iter().find(|(name, alias, _)| [*name, *alias].contains(&text));
        found
            .map(|(_, _, search)| Self(*search))
            .ok_or_else(|| format!("no searcher is called `{text}`"))
    }
}
