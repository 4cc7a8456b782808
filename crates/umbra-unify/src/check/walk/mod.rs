//! Walks a merged body and an original side by side.
//!
//! A node is a pair of places, one on each side, at which something happens; it is entered through
//! edges of blocks. Of each node is known which registers of both sides are equal there. In a node all that was known is a name
//! only ([`Term::Opaque`]), so a value of an earlier turn of a loop is never taken for one of this turn.

mod compare;
mod known;

use std::collections::{HashMap, HashSet, VecDeque};

use umbra_ir::{BlockId, Body, Edge, Id, Operation, RegisterId, Terminator};

use super::values::{Classes, Side, Term, Values};
use crate::Version;
use crate::correspondence::Place;
use crate::merge::Signatures;
use crate::normal::hash;
use known::{Known, canonical, homes, liveness, meet};

/// Nodes that are looked at, for each block of the two bodies, before something is wrong.
const NODES_PER_BLOCK: usize = 400;

/// A walk over both sides.
pub struct Walk<'a> {
    merged: Side<'a>,
    original: Side<'a>,
    signatures: &'a Signatures,
    /// Where the first allocas of the merged entry block are in the original.
    origins: Vec<Option<Place>>,
    classes: Classes,
    live: [Vec<HashSet<RegisterId>>; 2],
    homes: [HashMap<RegisterId, BlockId>; 2],
}

/// A place on one side at which something happens, or where nothing ever happens again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Stop {
    At(Place),
    Endless,
}

type Node = (Stop, Stop);

/// What has to be looked at, and what is known there.
struct Open {
    known: HashMap<Node, Known>,
    waiting: VecDeque<Node>,
}

impl<'a> Walk<'a> {
    /// A walk over a merged body and an original.
    pub fn new(
        merged: Side<'a>,
        original: Side<'a>,
        signatures: &'a Signatures,
        origins: Vec<Option<Place>>,
    ) -> Self {
        let live = [liveness(merged.body), liveness(original.body)];
        let homes = [homes(merged.body), homes(original.body)];
        Self { merged, original, signatures, origins, classes: Classes::default(), live, homes }
    }

    /// Walks. `positions`: where the original's parameters are among the merged function's.
    pub fn run(mut self, positions: &[u32]) -> Result<(), String> {
        let mut values = [Values::new(), Values::new()];
        let entry = BlockId::from_index(0);
        let parameters = |body: &Body| body.blocks[entry].parameters.clone();
        let (left, right) = (parameters(self.merged.body), parameters(self.original.body));
        for (register, &position) in right.iter().zip(positions) {
            let other = *left.get(position as usize).ok_or("it has too few parameters")?;
            let class = self.classes.of(Term::Opaque(hash(&("parameter", position))));
            values[0].insert(other, class);
            values[1].insert(*register, class);
        }
        self.locals(&mut values)?;
        let mut open = Open { known: HashMap::new(), waiting: VecDeque::new() };
        let start = Place { block: entry, index: 0 };
        self.arrive([start, start], values, &mut open)?;
        let limit =
            NODES_PER_BLOCK * (self.merged.body.blocks.len() + self.original.body.blocks.len());
        let mut count = 0;
        while let Some(node) = open.waiting.pop_front() {
            count += 1;
            if count > limit {
                return Err("the comparison does not end".to_owned());
            }
            self.visit(node, &mut open)?;
        }
        Ok(())
    }

    /// Local variables of the entry: each of the original's is one of the merged body's.
    fn locals(&mut self, values: &mut [Values; 2]) -> Result<(), String> {
        let mut known: HashSet<Place> = HashSet::new();
        let entry = &self.merged.body.blocks[BlockId::from_index(0)];
        let mut sizes = values[0].clone();
        let mut origins = self.origins.clone().into_iter();
        for instruction in &entry.instructions {
            let operation = &instruction.operation;
            if let Operation::Alloca { destination, size, count, align, .. } = operation {
                let Some(origin) = origins.next() else { break };
                let Some(place) = origin else { continue };
                if !known.insert(place) {
                    return Err("two local variables are one".to_owned());
                }
                let block = &self.original.body.blocks[place.block];
                let original = block.instructions.get(place.index as usize);
                let Some(Operation::Alloca {
                    destination: other,
                    size: s,
                    count: None,
                    align: a,
                    ..
                }) = original.map(|instruction| &instruction.operation)
                else {
                    return Err("a local variable is something else".to_owned());
                };
                let bytes = match count {
                    None => Some(*size),
                    Some(count) => {
                        let class = self.merged.class(&mut self.classes, &sizes, *count);
                        match self.classes.term(class) {
                            Term::Number(_, count) => count.checked_mul(*size),
                            _ => None,
                        }
                    }
                };
                if bytes != Some(*s) || align < a {
                    return Err("a local variable has another size".to_owned());
                }
                let class = self.classes.of(Term::Local(hash(&place)));
                values[0].insert(*destination, class);
                values[1].insert(*other, class);
            } else if let Some(class) = self.merged.pure(&mut self.classes, &sizes, operation) {
                operation.visit_destinations(&mut |register| {
                    sizes.insert(register, class);
                });
            }
        }
        Ok(())
    }

    /// Goes on from two places to what happens next, and notes what is known there.
    fn arrive(
        &mut self,
        places: [Place; 2],
        mut values: [Values; 2],
        open: &mut Open,
    ) -> Result<(), String> {
        let left = self.advance(0, places[0], &mut values[0]);
        let right = self.advance(1, places[1], &mut values[1]);
        let node = (left, right);
        let known = self.known(node, &values);
        match open.known.get_mut(&node) {
            None => {
                let known = canonical(&mut self.classes, known);
                open.known.insert(node, known);
                open.waiting.push_back(node);
            }
            Some(before) => {
                let met = meet(&mut self.classes, before, &known);
                if met != *before {
                    *before = met;
                    open.waiting.push_back(node);
                }
            }
        }
        Ok(())
    }

    fn side(&self, side: usize) -> &Side<'a> {
        if side == 0 { &self.merged } else { &self.original }
    }

    /// Goes on to the next thing that happens. Operations without effects are evaluated on the way.
    fn advance(&mut self, side: usize, from: Place, values: &mut Values) -> Stop {
        let mut place = from;
        let mut seen = HashSet::new();
        loop {
            let body = self.side(side).body;
            let block = &body.blocks[place.block];
            while let Some(instruction) = block.instructions.get(place.index as usize) {
                let operation = &instruction.operation;
                let view = if side == 0 { &self.merged } else { &self.original };
                if let Some(class) = view.pure(&mut self.classes, values, operation) {
                    values.extend(operation.destinations().iter().map(|r| (*r, class)));
                } else if !self.is_local(side, place) {
                    return Stop::At(place);
                }
                place.index += 1;
            }
            let edge = match (&block.terminator, self.side(side).version) {
                (Terminator::Jump(edge), _) => edge,
                (Terminator::Version { old, .. }, Version::Old) => old,
                (Terminator::Version { new, .. }, Version::New) => new,
                _ => return Stop::At(place),
            };
            if !seen.insert(place.block) {
                return Stop::Endless;
            }
            place = self.follow(side, edge, values);
        }
    }

    fn follow(&mut self, side: usize, edge: &Edge, values: &mut Values) -> Place {
        let view = if side == 0 { &self.merged } else { &self.original };
        let parameters = &view.body.blocks[edge.block].parameters;
        let assigned: Vec<_> = parameters
            .iter()
            .zip(&edge.arguments)
            .map(|(register, value)| (*register, view.class(&mut self.classes, values, *value)))
            .collect();
        values.extend(assigned);
        Place { block: edge.block, index: 0 }
    }

    /// Whether an instruction makes one of the local variables that are known already.
    fn is_local(&self, side: usize, place: Place) -> bool {
        let block = &self.side(side).body.blocks[place.block];
        let is_alloca =
            |index: usize| matches!(block.instructions[index].operation, Operation::Alloca { .. });
        if place.block.index() != 0 || !is_alloca(place.index as usize) {
            return false;
        }
        match side {
            0 => {
                let before = (0..place.index as usize).filter(|&index| is_alloca(index)).count();
                before < self.origins.len()
            }
            _ => self.origins.contains(&Some(place)),
        }
    }

    /// What is worth knowing at a node: registers that may still be read.
    fn known(&self, node: Node, values: &[Values; 2]) -> Known {
        let stops = [node.0, node.1];
        let mut known = Known::new();
        for side in 0..2 {
            let Stop::At(place) = stops[side] else { continue };
            for (register, class) in &values[side] {
                let alive = self.live[side][place.block.index()].contains(register)
                    || self.homes[side].get(register) == Some(&place.block);
                if alive {
                    known.insert((side, *register), *class);
                }
            }
        }
        known
    }

    /// Compares what happens at a node, and goes on behind it as long as it is one block.
    fn visit(&mut self, node: Node, open: &mut Open) -> Result<(), String> {
        let (mut left, mut right) = match node {
            (Stop::At(left), Stop::At(right)) => (left, right),
            (Stop::Endless, Stop::Endless) => return Ok(()),
            _ => return Err("one of them loops and does nothing".to_owned()),
        };
        let mut values = [Values::new(), Values::new()];
        for ((side, register), class) in &open.known[&node] {
            values[*side].insert(*register, *class);
        }
        loop {
            let blocks =
                (&self.merged.body.blocks[left.block], &self.original.body.blocks[right.block]);
            let operations = (
                blocks.0.instructions.get(left.index as usize),
                blocks.1.instructions.get(right.index as usize),
            );
            let (Some(a), Some(b)) = operations else {
                if operations.0.is_some() || operations.1.is_some() {
                    return Err(format!("{left} and {right} are not the same"));
                }
                let (a, b) = (&blocks.0.terminator, &blocks.1.terminator);
                return self.branch(a, b, &values, open).map_err(|reason| {
                    format!("{reason} (at the end of {} and {})", left.block, right.block)
                });
            };
            let (a, b) = (&a.operation, &b.operation);
            self.compare(a, b, &values).map_err(|reason| format!("{reason} ({left}, {right})"))?;
            for (at, (x, y)) in a.destinations().iter().zip(b.destinations()).enumerate() {
                let class = self.classes.of(Term::Opaque(hash(&("result", right, at))));
                values[0].insert(*x, class);
                values[1].insert(*y, class);
            }
            left.index += 1;
            right.index += 1;
            let (from_left, from_right) = (left.block, right.block);
            let stops =
                (self.advance(0, left, &mut values[0]), self.advance(1, right, &mut values[1]));
            match stops {
                (Stop::At(l), Stop::At(r)) if l.block == from_left && r.block == from_right => {
                    // Still the same blocks, unless they were left and entered again.
                    if l.index < left.index || r.index < right.index {
                        return self.arrive([l, r], values, open);
                    }
                    (left, right) = (l, r);
                }
                (Stop::At(l), Stop::At(r)) => return self.arrive([l, r], values, open),
                (Stop::Endless, Stop::Endless) => return Ok(()),
                _ => return Err("one of them loops and does nothing".to_owned()),
            }
        }
    }

    /// Compares terminators and arrives behind all their edges.
    fn branch(
        &mut self,
        a: &Terminator,
        b: &Terminator,
        values: &[Values; 2],
        open: &mut Open,
    ) -> Result<(), String> {
        let crossed = self.compare_ends(a, b, values)?;
        let mut left: Vec<Edge> = a.edges().into_iter().cloned().collect();
        let right: Vec<Edge> = b.edges().into_iter().cloned().collect();
        if crossed {
            left.reverse();
        }
        for (x, y) in left.iter().zip(&right) {
            let mut values = values.clone();
            let places = [self.follow(0, x, &mut values[0]), self.follow(1, y, &mut values[1])];
            self.arrive(places, values, open)?;
        }
        Ok(())
    }
}
