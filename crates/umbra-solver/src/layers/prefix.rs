//! Facts about the constraints of a path, kept while paths grow.

use umbra_expr::ExprId;

/// How many paths are remembered.
const PATHS: usize = 16;

/// What is known about some paths.
///
/// Queries come along paths: the constraints of the next are often those of an earlier one and a few
/// more. Then only the new ones need work.
#[derive(Debug, Default)]
pub(super) struct Prefixes<T> {
    /// Most recently used last.
    paths: Vec<(Vec<ExprId>, T)>,
}

impl<T: Default> Prefixes<T> {
    /// What is known about the constraints; `extend` adds one constraint, told with its position.
    pub(super) fn of(
        &mut self,
        constraints: &[ExprId],
        mut extend: impl FnMut(&mut T, usize, ExprId),
    ) -> &T {
        let best = self.paths.iter().enumerate().filter(|(_, (path, _))| {
            // The last constraint is the likeliest to differ.
            path.len() <= constraints.len()
                && path.last() == path.len().checked_sub(1).map(|last| &constraints[last])
                && constraints.starts_with(path)
        });
        let best = best.max_by_key(|(_, (path, _))| path.len()).map(|(index, _)| index);
        let (mut path, mut known) = match best {
            Some(index) => self.paths.remove(index),
            None => (Vec::new(), T::default()),
        };
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use umbra_expr::Expressions;

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
}
