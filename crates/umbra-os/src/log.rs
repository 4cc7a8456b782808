//! A list that only grows, of which forked states share what they have in common.

use std::sync::Arc;

/// Entries in the order in which they came. A clone shares all of them: it ends the run of entries
/// that both have, and what comes later starts a new one.
#[derive(Clone, Debug)]
pub(crate) struct Log<T> {
    /// Invariant: not changed while it is shared.
    last: Option<Arc<Run<T>>>,
}

#[derive(Debug)]
struct Run<T> {
    before: Option<Arc<Run<T>>>,
    entries: Vec<T>,
}

impl<T> Default for Log<T> {
    fn default() -> Log<T> {
        Log { last: None }
    }
}

impl<T> Log<T> {
    pub(crate) fn push(&mut self, entry: T) {
        match self.last.as_mut().and_then(Arc::get_mut) {
            Some(run) => run.entries.push(entry),
            None => {
                let before = self.last.take();
                self.last = Some(Arc::new(Run { before, entries: vec![entry] }));
            }
        }
    }

    /// What is only here and what is only in the other log, behind what they share.
    pub(crate) fn behind_common<'a>(&'a self, other: &'a Log<T>) -> (Vec<&'a T>, Vec<&'a T>) {
        let runs = |log: &'a Log<T>| {
            let mut runs = Vec::new();
            let mut next = &log.last;
            while let Some(run) = next {
                runs.push(run);
                next = &run.before;
            }
            runs.reverse();
            runs
        };
        let (mine, theirs) = (runs(self), runs(other));
        let common = mine.iter().zip(&theirs).take_while(|(a, b)| Arc::ptr_eq(a, b)).count();
        let rest = |runs: Vec<&'a Arc<Run<T>>>| {
            runs.into_iter().skip(common).flat_map(|run| &run.entries).collect()
        };
        (rest(mine), rest(theirs))
    }

    /// Replaces the last `count` entries.
    pub(crate) fn replace_last(&mut self, count: usize, entries: Vec<T>)
    where
        T: Clone,
    {
        let kept: Vec<T> = self.iter().cloned().collect();
        let kept = kept.len().saturating_sub(count);
        let before: Vec<T> = self.iter().take(kept).cloned().collect();
        *self = Log::default();
        before.into_iter().chain(entries).for_each(|entry| self.push(entry));
    }

    /// All entries, the first one first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        let mut runs = Vec::new();
        let mut next = &self.last;
        while let Some(run) = next {
            runs.push(run);
            next = &run.before;
        }
        runs.into_iter().rev().flat_map(|run| &run.entries)
    }
}

impl<T> Drop for Run<T> {
    /// One run after the other: dropping each inside the next would need a stack as deep as the
    /// history of forks is long.
    fn drop(&mut self) {
        let mut next = self.before.take();
        while let Some(mut run) = next.and_then(Arc::into_inner) {
            next = run.before.take();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_share_the_past_only() {
        let mut one = Log::default();
        one.push(1);
        one.push(2);
        let mut two = one.clone();
        one.push(3);
        two.push(4);
        two.push(5);
        let all = |log: &Log<i32>| log.iter().copied().collect::<Vec<_>>();
        assert_eq!((all(&one), all(&two)), (vec![1, 2, 3], vec![1, 2, 4, 5]));
        drop(one);
        assert_eq!(all(&two), [1, 2, 4, 5]);
    }

    #[test]
    fn a_long_history_does_not_need_a_deep_stack() {
        let mut log = Log::default();
        for n in 0..1_000_000 {
            let shared = log.clone();
            log.push(n);
            drop(shared);
        }
        assert_eq!(log.iter().count(), 1_000_000);
    }
}
