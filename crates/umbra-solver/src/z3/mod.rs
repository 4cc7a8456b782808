//! The backend on Z3: floats, hard arithmetic, second opinions.
//!
//! One context and one incremental solver are kept. Constraints are scopes of that solver: the next
//! query closes those it does not share and opens its own. Queries with floats, which Z3 only solves
//! from scratch, and large ones go to a solver of their own.

mod context;
mod float;
mod translate;

use std::collections::HashSet;
use std::time::Instant;

use umbra_expr::{Assignment, ExprId, Expressions, SymbolRange};

use crate::query::{Error, LayerStatistics, Limits, Query, Reason, Solver, Verdict, whole_core};
use context::{Allowance, Context, Outcome, Term};
use translate::Translator;

/// Beyond this many terms the context is thrown away.
const TERM_LIMIT: usize = 2_000_000;

/// Queries that add more expressions than this to the open scopes get a solver of their own: opening
/// a scope makes Z3 rewrite what holds in the one around it, without a look at the clock.
const LARGEST_IN_SCOPES: usize = 1_000;

/// Z3 is not asked about more expressions than this: it would take much more time than it may.
const LARGEST_QUERY: usize = 20_000;

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
        let is_done = |old: &Translator| old.context.len() > TERM_LIMIT || old.context.is_spent();
        if self.translator.as_ref().is_none_or(is_done) {
            self.translator = None;
            self.scopes.clear();
        }
        let terms: Vec<ExprId> = query.terms().collect();
        if is_larger(exprs, &terms, 0, LARGEST_QUERY) {
            return Ok(Verdict::Unknown(Reason::TooLarge));
        }
        let allowance = self.allowance();
        let translator = match &mut self.translator {
            Some(translator) => translator,
            none => none.insert(Translator::new(Context::new(self.limits.stop.clone())?)),
        };
        let floats = query.terms().any(|term| exprs.contains_float(term));
        let outcome = if floats
            || is_larger(exprs, &terms, shared(&self.scopes, &terms), LARGEST_IN_SCOPES)
        {
            let mut terms = Vec::new();
            for term in query.terms() {
                match translator.condition(exprs, term) {
                    Ok(term) => terms.push(term),
                    Err(reason) => return Ok(Verdict::Unknown(reason)),
                }
            }
            let logic = if floats { c"QF_BVFP" } else { c"QF_ABV" };
            translator.context.check_alone(logic, &terms, allowance)
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
            context::OUT_OF_TIME => Reason::Time,
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

/// How many of the open scopes are the first terms of a query.
fn shared(scopes: &[ExprId], terms: &[ExprId]) -> usize {
    scopes.iter().zip(terms).take_while(|(a, b)| a == b).count()
}

/// Whether the terms after the first few add more expressions than so many to theirs.
fn is_larger(exprs: &Expressions, terms: &[ExprId], first: usize, most: usize) -> bool {
    // There are no more than were ever made.
    if exprs.len() <= most {
        return false;
    }
    let mut known = HashSet::new();
    let mut collect = |terms: &[ExprId], most: usize| {
        let (mut open, mut added) = (terms.to_vec(), 0);
        while let Some(e) = open.pop() {
            if known.insert(e) {
                added += 1;
                if added > most {
                    return true;
                }
                open.extend_from_slice(&exprs.operands(e));
            }
        }
        false
    };
    collect(&terms[..first], usize::MAX);
    collect(&terms[first..], most)
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
    let shared = shared(scopes, &terms);
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Rounds of additions, exclusive ors and rotations over four words, as hash functions have.
    fn mixed(exprs: &mut Expressions, rounds: usize) -> ExprId {
        let input = exprs.input("in", 4);
        let words = [0, 1, 2, 3].map(|offset| {
            let byte = exprs.byte(input, offset);
            exprs.zext(byte, 64)
        });
        let [mut a, mut b, mut c, mut d] = words;
        let rotated = |exprs: &mut Expressions, word: ExprId, by: u32| {
            let (low, high) = (exprs.extract(word, 0, by), exprs.extract(word, by, 64 - by));
            exprs.concat(low, high)
        };
        for round in 0..rounds {
            a = exprs.add(a, b);
            a = exprs.add(a, words[round % 4]);
            d = exprs.xor(d, a);
            d = rotated(exprs, d, 32);
            c = exprs.add(c, d);
            b = exprs.xor(b, c);
            b = rotated(exprs, b, 24);
        }
        let (both, others) = (exprs.xor(a, b), exprs.add(c, d));
        exprs.xor(both, others)
    }

    #[test]
    fn a_large_query_ends_in_time() {
        let mut exprs = Expressions::new();
        let word = mixed(&mut exprs, 96);
        let other = exprs.constant(64, 0x1234_5678_9abc_def0);
        let (constraint, zero) = (exprs.ult(word, other), exprs.constant(64, 0));
        let goal = exprs.eq(word, zero);
        let limits = Limits { time: Some(Duration::from_millis(100)), ..Limits::default() };
        let constraints = [constraint];
        let query = Query::new(&constraints, goal);
        // Opening a scope for it would take most of a minute; the machine may be busy.
        let start = Instant::now();
        let verdict = Z3::new(limits).check(&mut exprs, &query).unwrap();
        assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
        assert!(matches!(verdict, Verdict::Unknown(_)), "{verdict:?}");
    }

    #[test]
    fn the_shortest_time_ends_each_check() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 16);
        let word = |exprs: &mut Expressions, start: u32| {
            let bytes: Vec<ExprId> = (start..start + 8).map(|at| exprs.byte(input, at)).collect();
            let first = bytes[0];
            bytes[1..].iter().fold(first, |word, &byte| exprs.concat(byte, word))
        };
        // The factors are 1000000007 and 1000000009, which take long to find.
        let (a, b) = (word(&mut exprs, 0), word(&mut exprs, 8));
        let (product, number) = (exprs.mul(a, b), exprs.constant(64, 1_000_000_016_000_000_063));
        let small = exprs.constant(64, 1 << 32);
        let limits = [exprs.ult(a, small), exprs.ult(b, small)];
        let goal = exprs.eq(product, number);
        let time = Limits { time: Some(Duration::from_millis(1)), ..Limits::default() };
        let mut solver = Z3::new(time);
        // Without a watchdog about one in ten never ends.
        for _ in 0..100 {
            let verdict = solver.check(&mut exprs, &Query::new(&limits, goal)).unwrap();
            assert_eq!(verdict, Verdict::Unknown(Reason::Time));
        }
        // The backend can still be asked.
        solver.limits.time = Some(Duration::from_secs(60));
        let easy = exprs.eq(a, number);
        let verdict = solver.check(&mut exprs, &Query::new(&[], easy)).unwrap();
        assert!(matches!(verdict, Verdict::Sat(_)), "{verdict:?}");
    }

    #[test]
    fn a_query_has_a_size() {
        let mut exprs = Expressions::new();
        let input = exprs.input("in", 100);
        let mut sum = exprs.byte(input, 0);
        for offset in 1..100 {
            let byte = exprs.byte(input, offset);
            let product = exprs.mul(sum, byte);
            sum = exprs.xor(product, byte);
        }
        let zero = exprs.constant(8, 0);
        let goal = exprs.eq(sum, zero);
        assert!(is_larger(&exprs, &[goal], 0, 200));
        assert!(!is_larger(&exprs, &[goal], 0, 1000));
        // One byte is small, whatever else there is.
        let byte = exprs.byte(input, 0);
        let small = exprs.eq(byte, zero);
        assert!(!is_larger(&exprs, &[small], 0, 10));
        // What is in an open scope is not added.
        assert!(is_larger(&exprs, &[small, goal], 1, 200));
        assert!(!is_larger(&exprs, &[goal, small], 1, 10));
    }
}
