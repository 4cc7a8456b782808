//! Facts about the constraints of a path, kept while paths grow.

use umbra_expr::ExprId;

/// How many paths are remembered.
const PATHS: usize = 16;

/// Facts of a path are taken back if they are at most this many, and an eighth of the path.
const FEW: usize = 32;

/// What is known about the constraints of a path, built up one by one.
///
/// A fact remembers the position of the constraint that it comes from. So what is known about a
/// path says what is known about the first constraints of it too: facts from later ones do not count.
pub(super) trait Facts: Default {
    /// Forgets what comes from constraints at this position and behind.
    fn truncate(&mut self, length: usize);
}

/// What is known about some paths.
///
/// Queries come along paths: the constraints of the next are often those of an earlier one and a few
/// more, or the first of them. Then only the new ones need work.
#[derive(Debug, Default)]
pub(super) struct Prefixes<T> {
    /// Most recently used last.
    paths: Vec<(Vec<ExprId>, T)>,
}

impl<T: Facts> Prefixes<T> {
    /// What is known about the constraints, and perhaps about more that follow; `extend` adds one
    /// constraint, told with its position.
    pub(super) fn of(
        &mut self,
        constraints: &[ExprId],
        mut extend: impl FnMut(&mut T, usize, ExprId),
    ) -> &T {
        let (mut path, mut known) = match self.best(constraints) {
            Some(index) => self.paths.remove(index),
            None => (Vec::new(), T::default()),
        };
        let common = common(&path, constraints);
        if common < constraints.len() && common < path.len() {
            path.truncate(common);
            known.truncate(common);
        }
        for (position, &constraint) in constraints.iter().enumerate().skip(path.len()) {
            extend(&mut known, position, constraint);
            path.push(constraint);
        }
        self.paths.push((path, known));
        if self.paths.len() > PATHS {
            self.paths.remove(0);
        }
        &self.paths[self.paths.len() - 1].1
    }

    /// The path that has most in common with the constraints, of those that lose little by it; the
    /// newest of those with which little is left to do.
    fn best(&self, constraints: &[ExprId]) -> Option<usize> {
        let mut best = None;
        for (index, (path, _)) in self.paths.iter().enumerate().rev() {
            let common = common(path, constraints);
            let lost = if common == constraints.len() { 0 } else { path.len() - common };
            let is_related = common > 0 || constraints.is_empty();
            let is_better = is_related && best.is_none_or(|(_, most)| common > most);
            if lost <= FEW.max(path.len() / 8) && is_better {
                best = Some((index, common));
                if constraints.len() - common + lost <= FEW / 8 {
                    break;
                }
            }
        }
        best.map(|(index, _)| index)
    }
}

/// How many constraints two paths start with in common.
fn common(a: &[ExprId], b: &[ExprId]) -> usize {
    let length = a.len().min(b.len());
    // Paths that part do so seldom: whole blocks are compared first.
    const BLOCK: usize = 256;
    let mut start = 0;
    while start + BLOCK <= length && a[start..start + BLOCK] == b[start..start + BLOCK] {
        start += BLOCK;
    }
    let rest = a[start..length].iter().zip(&b[start..length]);
    start + rest.take_while(|(a, b)| a == b).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_expr::Expressions;

    impl Facts for Vec<ExprId> {
        fn truncate(&mut self, length: usize) {
            self.truncate(length);
        }
    }

    #[test]
    fn only_new_constraints_are_added() {
        let mut exprs = Expressions::new();
        let ids: Vec<ExprId> = (0..5).map(|value| exprs.constant(8, value)).collect();
        let mut prefixes: Prefixes<Vec<ExprId>> = Prefixes::default();
        let mut added = 0;
        for constraints in [&ids[..2], &ids[..3], &ids[..3], &ids[..4], &ids[1..3], &ids[..5]] {
            let known = prefixes.of(constraints, |known, position, constraint| {
                assert_eq!(known.len(), position);
                known.push(constraint);
                added += 1;
            });
            assert_eq!(known, constraints);
        }
        assert_eq!(added, 2 + 1 + 1 + 2 + 1);
    }

    #[test]
    fn shorter_paths_and_others_that_part_late_cost_little() {
        let mut exprs = Expressions::new();
        let ids: Vec<ExprId> = (0..2000).map(|value| exprs.constant(16, value)).collect();
        let mut prefixes: Prefixes<Vec<ExprId>> = Prefixes::default();
        let mut added = 0;
        let mut ask = |constraints: &[ExprId]| {
            let known = prefixes.of(constraints, |known, position, constraint| {
                assert_eq!(known.len(), position);
                known.push(constraint);
                added += 1;
            });
            assert_eq!(known[..constraints.len()], *constraints);
            std::mem::take(&mut added)
        };
        assert_eq!(ask(&ids[..1000]), 1000);
        // The first constraints of a path that is known, in any order.
        for length in [999, 500, 1, 700] {
            assert_eq!(ask(&ids[..length]), 0, "{length}");
        }
        // A path that parts late takes the place of the other.
        let mut other = ids[..990].to_vec();
        other.push(ids[1500]);
        assert_eq!(ask(&other), 1);
        assert_eq!(ask(&ids[..1000]), 10);
        // One that parts early gets a place of its own.
        let mut other = ids[..300].to_vec();
        other.push(ids[1500]);
        assert_eq!(ask(&other), 301);
        assert_eq!(ask(&ids[..1000]), 0);
        assert_eq!(ask(&other), 0);
    }
}
