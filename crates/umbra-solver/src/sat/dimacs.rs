//! Clauses in the DIMACS text form, for tests and for comparison with other solvers.

use super::{Literal, Sat, Variable};

/// Clauses read from text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dimacs {
    /// How many variables there are.
    pub variables: usize,
    /// The clauses, without repeated literals and without those that always hold.
    pub clauses: Vec<Vec<Literal>>,
}

/// What is wrong with a DIMACS text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DimacsError {
    /// A word that is not a number.
    #[error("line {line}: {word:?} is not a literal")]
    Literal {
        /// The line, from one.
        line: usize,
        /// The word.
        word: String,
    },
    /// The text ends within a clause.
    #[error("the last clause does not end in 0")]
    Unfinished,
}

impl Dimacs {
    /// Reads a text; the `p` line is optional.
    pub fn parse(text: &str) -> Result<Self, DimacsError> {
        let mut dimacs = Self::default();
        let mut clause = Vec::new();
        for (index, line) in text.lines().enumerate() {
            if line.starts_with(['c', 'p', '%']) {
                continue;
            }
            for word in line.split_whitespace() {
                let error = || DimacsError::Literal { line: index + 1, word: word.to_owned() };
                let number: i32 = word.parse().map_err(|_| error())?;
                if number == 0 {
                    dimacs.push(std::mem::take(&mut clause));
                    continue;
                }
                let variable = (number.unsigned_abs() - 1) as usize;
                dimacs.variables = dimacs.variables.max(variable + 1);
                clause.push(Variable::from_index(variable).literal(number > 0));
            }
        }
        if clause.is_empty() { Ok(dimacs) } else { Err(DimacsError::Unfinished) }
    }

    fn push(&mut self, mut clause: Vec<Literal>) {
        clause.sort_unstable();
        clause.dedup();
        if !clause.windows(2).any(|pair| pair[0] == !pair[1]) {
            self.clauses.push(clause);
        }
    }

    /// Puts the clauses into an empty solver, with all variables in its cone.
    pub fn load(&self, sat: &mut Sat) {
        for _ in 0..self.variables {
            sat.variable(false);
        }
        for clause in &self.clauses {
            sat.add_clause(clause);
        }
        sat.begin();
        sat.activate_all();
    }
}
