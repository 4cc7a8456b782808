//! Numbers for expressions that are the same in every table.
//!
//! Tests have expression tables of their own, so ids say nothing about what two tests have in common. Inputs count by name and
//! not by size: the conditions on a path speak of single bytes, and whatever a size has led to is in them.

use std::hash::{DefaultHasher, Hash, Hasher};

use umbra_expr::{Array, ExprId, Expressions, IdMap, Kind};

/// Digests that were computed in one table.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    known: IdMap<ExprId, u64>,
    /// How many constraints of the path were mixed, and what came out.
    path: (usize, u64),
}

impl Digests {
    /// Another path is followed from here on.
    pub fn forget_path(&mut self) {
        self.path = (0, 0);
    }

    /// A number for the first constraints of a path, which must have those that were asked for before.
    pub fn of_path(&mut self, expressions: &Expressions, constraints: &[ExprId]) -> u64 {
        let (done, mut all) = self.path;
        for &constraint in constraints.iter().skip(done) {
            all = mix(&[all, self.of(expressions, constraint)]);
        }
        self.path = (constraints.len().max(done), all);
        all
    }

    /// A number for an expression. Nothing here recurses: expressions may be deep.
    pub fn of(&mut self, expressions: &Expressions, root: ExprId) -> u64 {
        let mut stack = vec![root];
        while let Some(&e) = stack.last() {
            let operands = expressions.operands(e);
            let before = stack.len();
            if !self.known.contains_key(&e) {
                stack.extend(operands.iter().filter(|operand| !self.known.contains_key(operand)));
            }
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if !self.known.contains_key(&e) {
                let digest = self.combine(expressions, e);
                self.known.insert(e, digest);
            }
        }
        self.known[&root]
    }

    fn combine(&self, expressions: &Expressions, e: ExprId) -> u64 {
        let mut hasher = DefaultHasher::new();
        let kind = expressions.kind(e);
        (kind, expressions.width(e)).hash(&mut hasher);
        let mut operands: Vec<u64> =
            expressions.operands(e).iter().map(|operand| self.known[operand]).collect();
        // Their order is that of ids, which is another one in each table.
        if kind.info().commutative {
            operands.sort_unstable();
        }
        operands.hash(&mut hasher);
        match kind {
            Kind::Constant => {
                expressions.constant_bits(e).map(|bits| bits.words().to_vec()).hash(&mut hasher);
            }
            Kind::Extract => expressions.extract_low(e).hash(&mut hasher),
            Kind::FIsClass => expressions.float_classes(e).hash(&mut hasher),
            Kind::Array => match expressions.array(expressions.array_of(e)) {
                Array::Input { name, .. } => without_size(name).hash(&mut hasher),
                Array::Table(bytes) => bytes.hash(&mut hasher),
            },
            _ => {}
        }
        hasher.finish()
    }
}

/// A name as inputs of other sizes have it, too.
fn without_size(name: &str) -> &str {
    name.split_once(':').map_or(name, |(name, _)| name)
}

/// One number of several.
pub(crate) fn mix(numbers: &[u64]) -> u64 {
    let mut hasher = DefaultHasher::new();
    numbers.hash(&mut hasher);
    hasher.finish()
}
