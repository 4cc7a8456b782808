//! The backend on Z3: floats, hard arithmetic, second opinions.
//!
//! One context and one incremental solver are kept. Constraints are scopes of that solver: the next
//! query closes those it does not share and opens its own. Queries with floats go to a solver of
//! their own, which Z3 only has from scratch.

mod context;
mod float;
mod translate;

use std::time::Instant;

use umbra_expr::{Assignment, ExprId, Expressions, SymbolRange};

use crate::query::{Error, LayerStatistics, Limits, Query, Reason, Solver, Verdict, whole_core};
use context::{Allowance, Context, Outcome, Term};
use translate::Translator;

/// Beyond this many terms the context is thrown away.
const TERM_LIMIT: usize = 2_000_000;

/// The Z3 backend.
///
/// Its cores are always the whole query.
#[derive(Debug, Default)]
pub struct Z3 {
    limits: Limits,
    translator: Option<Translator>,
    /// The constraints that are open scopes, outermost first.
    scopes: Vec<ExprId>,
    layer: LayerStatistics,
}

impl Z3 {
    /// A backend that gives up as the limits say.
    pub fn new(limits: Limits) -> Self {
        Self { limits, layer: LayerStatistics::new("z3"), ..Self::default() }
    }

    fn allowance(&self) -> Allowance {
        let milliseconds = self
            .limits
            .time_left()
            .map_or(0, |time| u32::try_from(time.as_millis()).unwrap_or(u32::MAX).max(1));
        Allowance { milliseconds, work: self.limits.work.unwrap_or(0) }
    }

    fn answer(&mut self, exprs: &mut Expressions, query: &Query<'_>) -> Result<Verdict, Error> {
        if self.translator.as_ref().is_none_or(|old| old.context.len() > TERM_LIMIT) {
            self.translator = None;
            self.scopes.clear();
        }
        let allowance = self.allowance();
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new(Context::new()?)),
        };
        let floats = query.terms().any(|term| exprs.contains_float(term));
        let outcome = if floats {
            let mut terms = Vec::new();
            for term in query.terms() {
                match translator.condition(exprs, term) {
                    Ok(term) => terms.push(term),
                    Err(reason) => return Ok(Verdict::Unknown(reason)),
                }
            }
            translator.context.check_floats(&terms, allowance)
        } else {
            match ask_incrementally(translator, &mut self.scopes, exprs, query, allowance) {
                Ok(outcome) => outcome,
                Err(reason) => return Ok(Verdict::Unknown(reason)),
            }
        };
        let outcome = outcome.inspect_err(|_| {
            // The context is in no known state.
            self.translator = None;
        })?;
        Ok(match outcome {
            Outcome::Sat => Verdict::Sat(self.model(exprs, query)),
            Outcome::Unsat => Verdict::Unsat(whole_core(query)),
            Outcome::Unknown(words) => Verdict::Unknown(self.reason(&words)),
        })
    }

    fn reason(&self, words: &str) -> Reason {
        match words {
            "timeout" => Reason::Time,
            // A solver that is out of time or work says the same in either case.
            _ if words.contains("resource") => Reason::Conflicts,
            _ if words.contains("cancel") && self.limits.work.is_some() => Reason::Conflicts,
            _ if words.contains("cancel") => Reason::Time,
            _ => Reason::Incomplete,
        }
    }

    fn model(&mut self, exprs: &mut Expressions, query: &Query<'_>) -> Assignment {
        let mut model = query.hint.cloned().unwrap_or_default();
        let Some(translator) = &mut self.translator else { return model };
        for term in query.terms() {
            for &SymbolRange { array, start, end } in exprs.support(term) {
                for offset in start..end {
                    let value = translator.input(array, offset);
                    if let Some(value) = value.and_then(|byte| translator.context.value(byte)) {
                        model.set(array, offset, value as u8);
                    }
                }
            }
        }
        model
    }
}

fn ask_incrementally(
    translator: &mut Translator,
    scopes: &mut Vec<ExprId>,
    exprs: &Expressions,
    query: &Query<'_>,
    allowance: Allowance,
) -> Result<Result<Outcome, Error>, Reason> {
    let terms: Vec<ExprId> = query.terms().collect();
    let translated: Result<Vec<Term>, Reason> =
        terms.iter().map(|&term| translator.condition(exprs, term)).collect();
    let translated = translated?;
    let shared = scopes.iter().zip(&terms).take_while(|(a, b)| a == b).count();
    translator.context.pop((scopes.len() - shared) as u32);
    scopes.truncate(shared);
    for (&term, &translated) in terms.iter().zip(&translated).skip(shared) {
        translator.context.push(translated);
        scopes.push(term);
    }
    Ok(translator.context.check(allowance))
}

impl Solver for Z3 {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let verdict = self.answer(expressions, query)?;
        self.layer.record(&verdict, start.elapsed());
        Ok(verdict)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
    }
}
