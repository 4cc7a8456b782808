//! Tries all values of the few bytes that a query is about.
//!
//! Float arithmetic on what a program parsed is hard for a solver of floats, but often only a handful
//! of bytes matter, and conditions on single bytes ("it is a digit") leave few values of each. Then
//! evaluating all combinations is exact and takes milliseconds. Each byte is given its values in
//! turn; a term is evaluated as soon as all its bytes have one.

use std::time::Instant;

use umbra_expr::{ArrayId, Assignment, Evaluator, ExprId, Expressions};

use crate::query::{Error, LayerStatistics, Query, Solver, Verdict, whole_core};

/// More bytes than this are not tried.
const MAX_BYTES: usize = 8;
/// Combinations that are tried at most, as many as two bytes have; counted, so that answers do not
/// depend on the clock.
const MAX_COMBINATIONS: u64 = 1 << 16;

/// Enumerates, where that is quick; asks the next layer everything else.
#[derive(Debug)]
pub struct Enumerate<S> {
    next: S,
    evaluator: Evaluator,
    layer: LayerStatistics,
}

impl<S: Solver> Enumerate<S> {
    /// Asks `next` when there are too many combinations.
    pub fn new(next: S) -> Self {
        Self { next, evaluator: Evaluator::new(), layer: LayerStatistics::new("enumerate") }
    }
}

/// A byte of an input.
type Symbol = (ArrayId, u32);

/// What is tried.
struct Plan {
    symbols: Vec<Symbol>,
    /// The values of each symbol that its own conditions allow.
    domains: Vec<Vec<u8>>,
    /// The terms that can be evaluated once the symbol of this number has a value.
    terms: Vec<Vec<ExprId>>,
}

fn symbols_of(expressions: &mut Expressions, term: ExprId) -> Option<Vec<Symbol>> {
    let mut symbols = Vec::new();
    for range in expressions.support(term) {
        if (range.end - range.start) as usize > MAX_BYTES {
            return None;
        }
        symbols.extend((range.start..range.end).map(|offset| (range.array, offset)));
    }
    (symbols.len() <= MAX_BYTES).then_some(symbols)
}

fn plan(
    expressions: &mut Expressions,
    evaluator: &mut Evaluator,
    query: &Query<'_>,
) -> Option<Plan> {
    let mut supports = Vec::new();
    let mut symbols: Vec<Symbol> = Vec::new();
    for term in query.terms() {
        let support = symbols_of(expressions, term)?;
        symbols.extend(&support);
        supports.push((term, support));
    }
    symbols.sort_unstable();
    symbols.dedup();
    if symbols.is_empty() || symbols.len() > MAX_BYTES {
        return None;
    }
    let mut domains: Vec<Vec<u8>> = Vec::new();
    for &symbol in &symbols {
        let own: Vec<ExprId> = supports
            .iter()
            .filter(|(_, support)| support.as_slice() == [symbol])
            .map(|(term, _)| *term)
            .collect();
        let mut assignment = Assignment::new();
        let allowed = (0..=u8::MAX).filter(|&value| {
            assignment.set(symbol.0, symbol.1, value);
            let mut run = evaluator.run(expressions, &assignment);
            own.iter().all(|&term| run.is_true(term))
        });
        domains.push(allowed.collect());
    }
    let combinations =
        domains.iter().fold(1u64, |product, domain| product.saturating_mul(domain.len() as u64));
    if combinations > MAX_COMBINATIONS {
        return None;
    }
    let mut terms = vec![Vec::new(); symbols.len()];
    for (term, support) in supports {
        if support.len() > 1 {
            let last = support.iter().filter_map(|symbol| symbols.binary_search(symbol).ok()).max();
            terms[last.unwrap_or(0)].push(term);
        } else if support.is_empty() {
            terms[0].push(term);
        }
    }
    Some(Plan { symbols, domains, terms })
}

impl Plan {
    /// An assignment that satisfies all terms; bytes that do not matter are as in `start`.
    fn search(
        &self,
        expressions: &Expressions,
        evaluator: &mut Evaluator,
        start: Assignment,
    ) -> Option<Assignment> {
        // A byte without a value may come last, behind all values of the others.
        if self.domains.iter().any(Vec::is_empty) {
            return None;
        }
        let mut assignment = start;
        // Which value of its domain each symbol has; the last one is being tried.
        let mut chosen: Vec<usize> = vec![0];
        while let Some(&index) = chosen.last() {
            let depth = chosen.len() - 1;
            let Some(&value) = self.domains[depth].get(index) else {
                chosen.pop();
                if let Some(last) = chosen.last_mut() {
                    *last += 1;
                }
                continue;
            };
            let (array, offset) = self.symbols[depth];
            assignment.set(array, offset, value);
            let mut run = evaluator.run(expressions, &assignment);
            let holds = self.terms[depth].iter().all(|&term| run.is_true(term));
            if !holds {
                chosen[depth] += 1;
            } else if depth + 1 == self.symbols.len() {
                return Some(assignment);
            } else {
                chosen.push(0);
            }
        }
        None
    }
}

impl<S: Solver> Solver for Enumerate<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let Some(plan) = plan(expressions, &mut self.evaluator, query) else {
            self.layer.pass(start.elapsed());
            return self.next.check(expressions, query);
        };
        let hint = query.hint.cloned().unwrap_or_default();
        let verdict = match plan.search(expressions, &mut self.evaluator, hint) {
            Some(model) => Verdict::Sat(model),
            None => Verdict::Unsat(whole_core(query)),
        };
        self.layer.record(&verdict, start.elapsed());
        Ok(verdict)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
        self.next.report(layers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Reason;

    /// Knows nothing, so that what is answered was enumerated.
    struct Ignorant;

    impl Solver for Ignorant {
        fn check(&mut self, _: &mut Expressions, _: &Query<'_>) -> Result<Verdict, Error> {
            Ok(Verdict::Unknown(Reason::Unsupported))
        }
    }

    /// `x * 10 + y` as a double, where both are digits.
    fn number(exprs: &mut Expressions) -> (Vec<ExprId>, ExprId) {
        let input = exprs.input("in", 2);
        let (low, high) = (exprs.constant(8, 0), exprs.constant(8, 9));
        let mut constraints = Vec::new();
        let mut digits = Vec::new();
        for offset in 0..2 {
            let byte = exprs.byte(input, offset);
            constraints.push(exprs.ule(low, byte));
            constraints.push(exprs.ule(byte, high));
            digits.push(exprs.zext(byte, 32));
        }
        let ten = exprs.constant(32, 10);
        let tens = exprs.mul(digits[0], ten);
        let sum = exprs.add(tens, digits[1]);
        (constraints, exprs.signed_to_float(sum, umbra_expr::FloatKind::Double))
    }

    fn ask(exprs: &mut Expressions, constraints: &[ExprId], value: f64) -> Verdict {
        let (_, number) = number(exprs);
        let wanted = exprs.constant(64, value.to_bits());
        let goal = exprs.feq(number, wanted);
        Enumerate::new(Ignorant).check(exprs, &Query::new(constraints, goal)).unwrap()
    }

    /// A byte that no value is left for makes the product of all numbers of values zero, however
    /// many the other bytes have.
    #[test]
    fn a_byte_without_a_value_ends_the_search_at_once() {
        let mut exprs = Expressions::new();
        let input = exprs.input("a", 8);
        let mut bytes = (0..8).map(|offset| exprs.byte(input, offset)).collect::<Vec<_>>();
        let last = bytes.pop().unwrap();
        let (low, high) = (exprs.constant(8, 9), exprs.constant(8, 5));
        let constraints = [exprs.ult(low, last), exprs.ult(last, high)];
        let sum = bytes.iter().fold(last, |sum, byte| exprs.mul(sum, *byte));
        let goal = exprs.eq(sum, low);
        let verdict = Enumerate::new(Ignorant).check(&mut exprs, &Query::new(&constraints, goal));
        assert!(verdict.unwrap().is_unsat());
    }

    #[test]
    fn few_values_are_tried_one_by_one() {
        let mut exprs = Expressions::new();
        let (constraints, _) = number(&mut exprs);
        let verdict = ask(&mut exprs, &constraints, 42.0);
        let Verdict::Sat(model) = verdict else { panic!("42 has two digits") };
        let input = exprs.find_input("in").unwrap();
        assert_eq!((model.get(input, 0), model.get(input, 1)), (4, 2));
        assert!(ask(&mut exprs, &constraints, 100.0).is_unsat());
        assert!(ask(&mut exprs, &constraints, 4.5).is_unsat());
    }

    #[test]
    fn many_values_are_left_to_others() {
        let mut exprs = Expressions::new();
        let input = exprs.input("wide", 3);
        let parts: Vec<ExprId> = (0..3).map(|offset| exprs.byte(input, offset)).collect();
        let sum = parts.iter().skip(1).fold(parts[0], |sum, &part| exprs.add(sum, part));
        let wide = exprs.zext(sum, 32);
        let float = exprs.signed_to_float(wide, umbra_expr::FloatKind::Double);
        let wanted = exprs.constant(64, 42f64.to_bits());
        let goal = exprs.feq(float, wanted);
        let verdict = Enumerate::new(Ignorant).check(&mut exprs, &Query::new(&[], goal)).unwrap();
        assert_eq!(verdict, Verdict::Unknown(Reason::Unsupported));
    }
}
