//! Unit propagation over two watched literals.

use super::literal::Value;
use super::{ClauseRef, Sat, Watch};

impl Sat {
    /// Draws all consequences within the cone; returns a clause that has become false.
    pub(super) fn propagate(&mut self) -> Option<ClauseRef> {
        let mut conflict = None;
        while conflict.is_none() && self.propagated < self.trail.len() {
            let literal = self.trail[self.propagated];
            self.propagated += 1;
            self.statistics.propagations += 1;
            let mut list = std::mem::take(&mut self.watches[literal.index()]);
            conflict = self.visit(!literal, &mut list);
            // New watches of this literal cannot have come up: its negation is false.
            self.watches[literal.index()] = list;
        }
        conflict
    }

    /// Looks at the clauses that watch `falsified` and drops those that found another literal.
    fn visit(&mut self, falsified: super::Literal, list: &mut Vec<Watch>) -> Option<ClauseRef> {
        let mut conflict = None;
        let (mut read, mut write) = (0, 0);
        while read < list.len() {
            let watch = list[read];
            read += 1;
            list[write] = watch;
            write += 1;
            // A clause with a literal outside of the cone can neither be false nor force one.
            let blocker = self.value_of(watch.blocker);
            if blocker == Value::True || !self.in_cone(watch.blocker.variable()) {
                continue;
            }
            let clause = ClauseRef::from_tagged(watch.tagged);
            if watch.tagged & 1 == 1 {
                if blocker == Value::False {
                    conflict = Some(clause);
                    break;
                }
                self.enqueue(watch.blocker, clause);
                continue;
            }
            let literals = self.arena.literals_mut(clause);
            if literals[0] == falsified {
                literals.swap(0, 1);
            }
            let first = literals[0];
            let values = &self.values;
            if values[first.index()] == Value::True {
                list[write - 1].blocker = first;
                continue;
            }
            let found = literals[2..].iter().position(|l| values[l.index()] != Value::False);
            if let Some(position) = found {
                literals.swap(1, position + 2);
                let watched = literals[1];
                self.watches[(!watched).index()].push(Watch { blocker: first, ..watch });
                write -= 1;
            } else if values[first.index()] == Value::False {
                conflict = Some(clause);
                break;
            } else if self.in_cone(first.variable()) {
                self.enqueue(first, clause);
            }
        }
        list.copy_within(read.., write);
        list.truncate(write + list.len() - read);
        conflict
    }
}
