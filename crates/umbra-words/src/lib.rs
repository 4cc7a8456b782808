//! The words that all results are said in.
//!
//! | word | what it says |
//! |---|---|
//! | [`Version`] | which of the two programs: old or new |
//! | [`End`] | how a run ended, as predicted or as seen natively |
//! | [`Class`] | what a difference between the versions means |
//! | [`Kind`], [`Phase`] | what sort of divergence it is, and which part of the search found it |
//! | [`Place`], [`Position`] | a line of the source, and a column in it |
//! | [`Target`], [`TargetBlock`] | a line of one version, with its function; a block of its module |
//! | [`Mechanism`], [`Sought`], [`ReachReason`] | what leads a search to a target, what comes of it, and why |
//! | [`Finding`] | an error of the program under test |
//!
//! Test cases, native runs, strategies, jobs and reports use these types, so a value goes from one
//! to the other without being translated. Each closed word has a stable `name`, which is the one in
//! JSON, in text and in tests; serialised, it is that name.
//!
//! The engine has words of its own where it knows more: `Termination` becomes an [`End`] in one
//! function of `umbra-strategy`.
//!
//! **Invariant:** plain values. Nothing here does anything, and of our crates only
//! `umbra-text` is known.

mod class;
mod divergence;
mod end;
mod finding;
mod place;
mod reach;
mod version;

pub use class::Class;
pub use divergence::{Kind, Phase};
pub use end::{End, Fault, LimitKind};
pub use finding::Finding;
pub use place::{Place, Position, Target};
pub use reach::{Mechanism, ReachReason, Sought, TargetBlock};
pub use version::Version;

/// Implements `ALL`, `name`, `by_name`, `Display` and serialisation as that name for a closed word.
macro_rules! word {
    ($(#[$doc:meta])* $type:ident { $($(#[$of:meta])* $variant:ident = $name:literal,)* }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
        )]
        pub enum $type {
            $($(#[$of])* #[serde(rename = $name)] $variant,)*
        }

        impl $type {
            /// All of them, in their order.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }

            /// The one of this name.
            pub fn by_name(name: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|word| word.name() == name)
            }
        }

        impl std::fmt::Display for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

pub(crate) use word;

#[cfg(test)]
mod tests {
    use super::*;

    /// Reports, cases and journals have these names, so they stay.
    #[test]
    fn names_are_stable() {
        let names = |all: Vec<&'static str>| all.join(" ");
        assert_eq!(names(Version::ALL.iter().map(|word| word.name()).collect()), "old new");
        assert_eq!(names(Kind::ALL.iter().map(|word| word.name()).collect()), "control data");
        assert_eq!(
            names(Phase::ALL.iter().map(|word| word.name()).collect()),
            "shape seed concolic bounded around complete"
        );
        assert_eq!(
            names(Class::ALL.iter().map(|word| word.name()).collect()),
            "regression nondeterminism-introduced output-difference to-judge fix flaky same"
        );
        assert_eq!(
            names(LimitKind::ALL.iter().map(|word| word.name()).collect()),
            "output memory file-size disk"
        );
        assert_eq!(
            names(Mechanism::ALL.iter().map(|word| word.name()).collect()),
            "greedy regeneration switching options exploration"
        );
        assert_eq!(
            names(Sought::ALL.iter().map(|word| word.name()).collect()),
            "tested reached unreachable exhausted missed"
        );
    }

    #[test]
    fn words_are_written_as_their_names() {
        for class in Class::ALL {
            let text = serde_json::to_string(class).unwrap();
            assert_eq!(text, format!("\"{}\"", class.name()));
            assert_eq!(serde_json::from_str::<Class>(&text).unwrap(), *class);
            assert_eq!(Class::by_name(class.name()), Some(*class));
        }
        assert_eq!(Class::by_name("bad"), None);
    }

    #[test]
    fn values_come_back_as_they_were() {
        let place = Place { file: "a.c".to_owned(), line: 7 };
        let fault = Fault {
            kind: "null-dereference".to_owned(),
            place: place.clone(),
            message: "m".to_owned(),
            stack: vec!["main at a.c:7".to_owned()],
        };
        let ends = [
            End::Exited(3),
            End::Killed(11),
            End::Hung,
            End::OverLimit(LimitKind::Disk),
            End::Error(Box::new(fault)),
            End::Cut { reason: "fork".to_owned() },
        ];
        for end in ends {
            let text = serde_json::to_string(&end).unwrap();
            assert_eq!(serde_json::from_str::<End>(&text).unwrap(), end, "{text}");
        }
        let target = Target { place, function: "main".to_owned(), version: Version::New };
        let text = serde_json::to_string(&target).unwrap();
        assert_eq!(serde_json::from_str::<Target>(&text).unwrap(), target);
    }
}
