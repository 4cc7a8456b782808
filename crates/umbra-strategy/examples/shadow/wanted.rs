//! The command line.

use std::num::NonZeroUsize;

/// What is to be done.
#[derive(Default)]
pub struct Wanted {
    pub umbra: String,
    pub bitcode: String,
    /// Two versions, or the new one alone.
    pub both: bool,
    /// The standard input that is to be followed.
    pub follow: Option<Vec<u8>>,
    pub instructions: Option<u64>,
    pub sizes: bool,
    /// More workers than one, if there are.
    pub workers: Option<NonZeroUsize>,
    pub words: Vec<Vec<u8>>,
}

impl Wanted {
    /// Reads the arguments; `None` if they are not right.
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Option<Self> {
        let mut wanted = Self {
            umbra: arguments.next()?,
            bitcode: arguments.next()?,
            both: match arguments.next()?.as_str() {
                "both" => true,
                "new" => false,
                _ => return None,
            },
            ..Self::default()
        };
        while let Some(word) = arguments.next() {
            match word.as_str() {
                "--follow" => wanted.follow = Some(std::fs::read(arguments.next()?).ok()?),
                "--instructions" => wanted.instructions = Some(arguments.next()?.parse().ok()?),
                "--sizes" => wanted.sizes = true,
                "--workers" => wanted.workers = Some(arguments.next()?.parse().ok()?),
                _ => {
                    wanted.words.push(word.into_bytes());
                    wanted.words.extend(arguments.by_ref().map(String::into_bytes));
                }
            }
        }
        Some(wanted)
    }
}
