//! The names of searchers, as a job has them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use umbra_strategy::{Search, SearchKind};

/// Searchers that take turns, by their names; always ones that exist.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct SearchName(String);

/// A searcher that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownSearch {
    /// Its name.
    pub name: String,
    message: String,
}

impl SearchName {
    /// The names of all searchers.
    pub fn all() -> impl Iterator<Item = &'static str> {
        SearchKind::ALL.into_iter().map(SearchKind::name)
    }

    pub(crate) fn search(&self) -> Search {
        // It was parsed when it was made.
        self.0.parse().unwrap_or_default()
    }
}

impl FromStr for SearchName {
    type Err = UnknownSearch;

    fn from_str(text: &str) -> Result<Self, UnknownSearch> {
        let parsed: Result<Search, umbra_strategy::UnknownSearch> = text.parse();
        match parsed {
            Ok(_) => Ok(Self(text.to_owned())),
            Err(error) => {
                Err(UnknownSearch { name: error.name.clone(), message: error.to_string() })
            }
        }
    }
}

impl TryFrom<String> for SearchName {
    type Error = UnknownSearch;

    fn try_from(text: String) -> Result<Self, UnknownSearch> {
        text.parse()
    }
}

impl From<SearchName> for String {
    fn from(name: SearchName) -> Self {
        name.0
    }
}

impl fmt::Display for UnknownSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnknownSearch {}
