//! What a unification comes to, in numbers.

use umbra_ir::FunctionId;

/// What a unification comes to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// Functions that are shared.
    pub shared: u64,
    /// Functions that differ.
    pub changed: Vec<FunctionStatistics>,
    /// Functions of the new version alone.
    pub added: u64,
    /// Functions of the old version alone.
    pub removed: u64,
    /// Globals whose size or first contents differ.
    pub changed_globals: u64,
    /// Files whose text differs.
    pub files: u64,
    /// Runs of lines that differ.
    pub hunks: u64,
    /// Lines that are gone.
    pub lines_removed: u64,
    /// Lines that are new.
    pub lines_added: u64,
}

/// What became of one changed function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionStatistics {
    /// The function, in the unified program.
    pub function: FunctionId,
    /// Its source name.
    pub name: String,
    /// Instructions of both versions that are equal.
    pub strong: u64,
    /// Instructions of both versions that differ in something.
    pub weak: u64,
    /// Instructions of the old version alone.
    pub old_only: u64,
    /// Instructions of the new version alone.
    pub new_only: u64,
    /// Operands that became changes.
    pub changes: u64,
    /// Places where the versions go their own ways.
    pub version_branches: u64,
    /// No line of it was edited: it differs because of something else, as the layout of a type.
    pub ripples: bool,
    /// It is kept as two copies.
    pub two_copies: bool,
}

impl Statistics {
    /// Instructions that became one of both versions, in thousandths of those of changed functions.
    pub fn share(&self) -> u64 {
        let sum =
            |count: fn(&FunctionStatistics) -> u64| self.changed.iter().map(count).sum::<u64>();
        let both = sum(|f| f.strong + f.weak);
        let alone = sum(|f| f.old_only + f.new_only);
        (2000 * both).checked_div(2 * both + alone).unwrap_or(1000)
    }
}
