//! Which parts of two programs belong together: the primary data of a unification.
//!
//! The merger, the projection check and `umbra diff --explain` all read this value and nothing
//! else of how it was found. It can be written and read (serde), and shown ([`Display`] is one line
//! for each thing that is not simply equal).
//!
//! [`Display`]: std::fmt::Display

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};
use umbra_ir::{BlockId, FunctionId, GlobalId, RegisterId};

/// Which parts of two programs belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Correspondence {
    /// Source files that are the same one under two names, as (old, new).
    pub renamed_files: Vec<(String, String)>,
    /// Functions that both versions have, by rising new id.
    pub functions: Vec<FunctionPair>,
    /// Globals that both versions have, by rising new id. Several anonymous constants of the old
    /// version may belong to one of the new version: those with equal contents are one class.
    pub globals: Vec<GlobalPair>,
    /// Functions of the old version alone.
    pub removed_functions: Vec<FunctionId>,
    /// Functions of the new version alone.
    pub added_functions: Vec<FunctionId>,
    /// Globals of the old version alone.
    pub removed_globals: Vec<GlobalId>,
    /// Globals of the new version alone.
    pub added_globals: Vec<GlobalId>,
    /// Differences that mean nothing, by kind.
    pub noise: BTreeMap<Noise, u64>,
    /// The numbers of the versions, as (old, new), if they differ and are noise.
    pub numbers: Option<(String, String)>,
}

/// Two functions that are one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionPair {
    /// The function in the old program.
    pub old: FunctionId,
    /// The function in the new program.
    pub new: FunctionId,
    /// Why they belong together.
    pub basis: Basis,
    /// What is different about them.
    pub relation: Relation,
}

/// Why two things belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Basis {
    /// The same place and name in the source text.
    Identity,
    /// Equal contents.
    Content,
    /// They are alike by this many parts in a hundred, and nothing is more alike.
    Similarity(u8),
}

/// What is different about two functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Relation {
    /// Nothing: they are equal in normal form.
    Equal,
    /// They differ.
    Changed(Alignment),
}

/// Two globals that are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GlobalPair {
    /// The global in the old program.
    pub old: GlobalId,
    /// The global in the new program.
    pub new: GlobalId,
    /// Why they belong together.
    pub basis: Basis,
    /// Size and first contents are equal.
    pub equal: bool,
}

/// An instruction or terminator of a function: the terminator's index is that behind the last
/// instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Place {
    /// The block.
    pub block: BlockId,
    /// The instruction's position in it.
    pub index: u32,
}

/// Which instructions of two functions belong together.
///
/// **Invariant:** a place or register of either version is in at most one pair.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alignment {
    /// Instructions that are one, in the order of the old function.
    pub pairs: Vec<InstructionPair>,
    /// Block parameters that are one, as (old, new).
    pub parameters: Vec<(RegisterId, RegisterId)>,
    /// For each parameter of the old function, its position in the merged signature.
    pub old_signature: Vec<u32>,
    /// Instructions of the old function that count (jumps do not).
    pub old_count: u32,
    /// Instructions of the new function that count.
    pub new_count: u32,
    /// The function is kept as two copies: no alignment of it was good enough.
    pub two_copies: bool,
}

/// Two instructions that are one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionPair {
    /// The instruction of the old function.
    pub old: Place,
    /// The instruction of the new function.
    pub new: Place,
    /// Whether they are equal or only belong together.
    pub strength: Strength,
    /// A branch whose condition is the negation of the old one's: its sides are exchanged.
    pub turned: bool,
}

/// How sure it is that two instructions are the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Strength {
    /// They belong together, but something about them differs.
    Weak,
    /// They are equal.
    Strong,
}

/// A difference that means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Noise {
    /// The line number in a failed assertion.
    AssertLine,
    /// The folder that a version was built in, inside a string.
    BuildPath,
    /// A date or time of compilation.
    Date,
    /// The number of the program's version, inside a string.
    VersionNumber,
}

impl Noise {
    /// What it is called.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AssertLine => "line of an assertion",
            Self::BuildPath => "build path",
            Self::Date => "date of compilation",
            Self::VersionNumber => "number of the version",
        }
    }
}

impl Correspondence {
    /// Functions that differ, with their alignment.
    pub fn changed(&self) -> impl Iterator<Item = (&FunctionPair, &Alignment)> {
        self.functions.iter().filter_map(|pair| match &pair.relation {
            Relation::Changed(alignment) => Some((pair, alignment)),
            Relation::Equal => None,
        })
    }

    /// What was taken for noise, in words, and how often.
    pub fn ignored(&self) -> impl Iterator<Item = (String, u64)> {
        self.noise.iter().map(|(noise, count)| {
            let name = noise.name();
            let words = match (&self.numbers, noise) {
                (Some((old, new)), Noise::VersionNumber) => format!("{name}, {old} and {new}"),
                _ => name.to_owned(),
            };
            (words, *count)
        })
    }

    /// Whether there is no difference at all, but for noise.
    pub fn is_identity(&self) -> bool {
        self.changed().next().is_none()
            && self.globals.iter().all(|pair| pair.equal)
            && self.removed_functions.is_empty()
            && self.added_functions.is_empty()
            && self.removed_globals.is_empty()
            && self.added_globals.is_empty()
    }
}

impl Alignment {
    /// The share of instructions that became one: 2p / (o + n), in thousandths.
    pub fn share(&self) -> u32 {
        let all = u64::from(self.old_count) + u64::from(self.new_count);
        (2000 * self.pairs.len() as u64).checked_div(all).unwrap_or(1000) as u32
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.block, self.index)
    }
}

impl fmt::Display for Correspondence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (old, new) in &self.renamed_files {
            writeln!(f, "file {old} -> {new}")?;
        }
        for pair in &self.functions {
            let FunctionPair { old, new, basis, relation } = pair;
            match relation {
                Relation::Equal if *basis == Basis::Identity => {}
                Relation::Equal => writeln!(f, "function {old} = {new} {basis}")?,
                Relation::Changed(alignment) => {
                    write!(f, "function {old} ~ {new} {basis}")?;
                    writeln!(f, "{}", if alignment.two_copies { ", two copies" } else { "" })?;
                    write!(f, "{alignment}")?;
                }
            }
        }
        for GlobalPair { old, new, basis, equal } in &self.globals {
            if !equal || !matches!(basis, Basis::Identity | Basis::Content) {
                let relation = if *equal { "=" } else { "~" };
                writeln!(f, "global {old} {relation} {new} {basis}")?;
            }
        }
        for old in &self.removed_functions {
            writeln!(f, "function {old} removed")?;
        }
        for new in &self.added_functions {
            writeln!(f, "function {new} added")?;
        }
        for old in &self.removed_globals {
            writeln!(f, "global {old} removed")?;
        }
        for new in &self.added_globals {
            writeln!(f, "global {new} added")?;
        }
        for (noise, count) in self.ignored() {
            writeln!(f, "noise: {noise} ({count})")?;
        }
        Ok(())
    }
}

impl fmt::Display for Alignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for InstructionPair { old, new, strength, turned } in &self.pairs {
            let relation = match strength {
                Strength::Strong => "=",
                Strength::Weak => "~",
            };
            writeln!(f, "  {old} {relation} {new}{}", if *turned { " turned" } else { "" })?;
        }
        for (old, new) in &self.parameters {
            writeln!(f, "  parameter {old} = {new}")?;
        }
        Ok(())
    }
}

impl fmt::Display for Basis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Identity => f.write_str("by name"),
            Self::Content => f.write_str("by content"),
            Self::Similarity(percent) => write!(f, "by similarity ({percent} %)"),
        }
    }
}
