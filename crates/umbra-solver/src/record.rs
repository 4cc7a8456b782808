//! Queries as text that other solvers read too, and back.
//!
//! The text is an SMT-LIB script whose last assertion is the goal. The verdict is its `:status`, the
//! hint is in comments: `; hint <hex> <input>`.

use std::collections::BTreeSet;
use std::fmt::Write;

use umbra_expr::smt::{self, Script, SmtError};
use umbra_expr::{Array, ArrayId, Assignment, ExprId, Expressions};
use umbra_text::from_hex;

use crate::query::Query;

/// A query that was read from text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedQuery {
    /// What holds already.
    pub constraints: Vec<ExprId>,
    /// What is asked in addition.
    pub goal: ExprId,
    /// An assignment to start from.
    pub hint: Option<Assignment>,
    /// The verdict when it was written: `sat`, `unsat` or `unknown`.
    pub status: Option<String>,
}

impl RecordedQuery {
    /// The query to ask.
    pub fn query(&self) -> Query<'_> {
        let hint = self.hint.as_ref();
        Query { hint, ..Query::new(&self.constraints, self.goal) }
    }

    /// Reads a query; a script without assertions has the goal `true`.
    pub fn parse(exprs: &mut Expressions, text: &str) -> Result<Self, SmtError> {
        let mut constraints = smt::parse(exprs, text)?.assertions;
        let goal = constraints.pop().unwrap_or_else(|| exprs.true_());
        let mut query = Self { constraints, goal, hint: None, status: None };
        for line in text.lines() {
            let status = line.strip_prefix("(set-info :status ");
            if let Some(status) = status.and_then(|rest| rest.strip_suffix(')')) {
                query.status = Some(status.to_owned());
            }
            let Some((hex, name)) = line.strip_prefix("; hint ").and_then(|l| l.split_once(' '))
            else {
                continue;
            };
            if let Some(array) = exprs.find_input(name) {
                let hint = query.hint.get_or_insert_default();
                for (offset, value) in (0..).zip(from_hex(hex).unwrap_or_default()) {
                    hint.set(array, offset, value);
                }
            }
        }
        Ok(query)
    }
}

/// The text of a query whose verdict is known.
pub fn query_text(exprs: &mut Expressions, query: &Query<'_>, status: &str) -> String {
    let mut text = format!("(set-info :status {status})\n");
    if let Some(hint) = query.hint {
        let mut inputs: BTreeSet<ArrayId> = BTreeSet::new();
        for term in query.terms() {
            inputs.extend(exprs.support(term).iter().map(|range| range.array));
        }
        for array in inputs {
            let Array::Input { name, size } = exprs.array(array) else { continue };
            let bytes = hint.bytes(array);
            let mut hex = String::new();
            for byte in bytes.iter().take(*size as usize) {
                let _ = write!(hex, "{byte:02x}");
            }
            let _ = writeln!(text, "; hint {hex} {name}");
        }
    }
    let script = Script { assertions: query.terms().collect(), values: Vec::new() };
    text + &smt::print(exprs, &script)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_query_survives_the_round_trip() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 4);
        let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 3));
        let constraint = exprs.ult(x, y);
        let five = exprs.constant(8, 5);
        let sum = exprs.add(x, y);
        let goal = exprs.eq(sum, five);
        let mut hint = Assignment::new();
        hint.set_bytes(input, &[1, 2, 3, 255]);
        let query = Query::new(std::slice::from_ref(&constraint), goal).with_hint(&hint);
        let text = query_text(&mut exprs, &query, "sat");
        let read = RecordedQuery::parse(&mut exprs, &text).unwrap();
        let status = Some("sat".to_owned());
        let constraints = vec![constraint];
        assert_eq!(read, RecordedQuery { constraints, goal, hint: Some(hint), status });
    }
}
