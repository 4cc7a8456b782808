//! Stacks of calls, shared.
//!
//! A hundred thousand states stand in a few hundred different stacks. Each stack is kept once, as its
//! innermost return place and the stack around it, so that what a searcher computes for stacks it
//! computes once for all states in them.

use std::collections::HashMap;

/// A stack of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContextId(u32);

impl ContextId {
    /// The stack of a state that was not called by anyone.
    pub const OUTERMOST: Self = Self(0);

    /// The position in [`Contexts::iter`].
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// All stacks of calls that states of a worker stand in.
#[derive(Debug)]
pub struct Contexts {
    /// The stack around, and the operation that the innermost call returns to.
    stacks: Vec<(ContextId, u32)>,
    ids: HashMap<(ContextId, u32), ContextId>,
}

impl Default for Contexts {
    fn default() -> Self {
        Self { stacks: vec![(ContextId::OUTERMOST, 0)], ids: HashMap::new() }
    }
}

impl Contexts {
    /// The stack with these return places, the outermost first.
    pub(crate) fn intern(&mut self, places: impl Iterator<Item = u32>) -> ContextId {
        let mut context = ContextId::OUTERMOST;
        for place in places {
            context = *self.ids.entry((context, place)).or_insert_with(|| {
                self.stacks.push((context, place));
                ContextId((self.stacks.len() - 1) as u32)
            });
        }
        context
    }

    /// All stacks but the outermost, each after the one around it: that one, and the operation that
    /// the innermost call returns to.
    pub fn iter(&self) -> impl Iterator<Item = (ContextId, u32)> {
        self.stacks[1..].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_stacks_are_kept_once() {
        let mut contexts = Contexts::default();
        let deep = contexts.intern([1, 2, 3].into_iter());
        let shallow = contexts.intern([1, 2].into_iter());
        assert_eq!(contexts.intern([1, 2, 3].into_iter()), deep);
        assert_eq!(contexts.intern([].into_iter()), ContextId::OUTERMOST);
        let stacks: Vec<_> = contexts.iter().collect();
        assert_eq!(stacks.len(), 3);
        assert_eq!(stacks[deep.index() - 1], (shallow, 3));
    }
}
