//! The rewrite rules.

use std::fmt;

use crate::build::Term;
use crate::id::ExprId;
use crate::table::Expressions;

/// Defines the rules and their names.
macro_rules! define_rules {
    ($($(#[$doc:meta])* $variant:ident $name:literal;)*) => {
        /// A rewrite rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Rule {
            $($(#[$doc])* $variant,)*
        }

        impl Rule {
            /// All rules in order.
            pub const ALL: &[Rule] = &[$(Rule::$variant,)*];

            /// The name in statistics, reports and tests.
            pub fn name(self) -> &'static str {
                match self {
                    $(Rule::$variant => $name,)*
                }
            }
        }
    };
}

define_rules! {
    /// An operation on constants becomes its value.
    FoldConstants "fold-constants";
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How often each rule was applied.
#[derive(Clone, Debug)]
pub(crate) struct RuleHits([u64; Rule::ALL.len()]);

impl Default for RuleHits {
    fn default() -> Self {
        Self([0; Rule::ALL.len()])
    }
}

impl RuleHits {
    pub fn count(&mut self, rule: Rule) {
        self.0[rule as usize] += 1;
    }

    pub fn iter(&self) -> impl Iterator<Item = (Rule, u64)> + '_ {
        Rule::ALL.iter().copied().zip(self.0.iter().copied())
    }
}

/// The result of the first rule that applies.
pub(crate) fn apply(_exprs: &mut Expressions, _term: &Term) -> Option<ExprId> {
    None
}
