//! The order in which variables are decided: by activity, highest first.

use super::Variable;

const ABSENT: u32 = u32::MAX;
const DECAY: f64 = 0.95;
const LIMIT: f64 = 1e100;

/// A binary heap over variables that can be reordered when an activity grows.
#[derive(Debug)]
pub(super) struct Heap {
    activities: Vec<f64>,
    places: Vec<u32>,
    heap: Vec<Variable>,
    increment: f64,
}

impl Default for Heap {
    fn default() -> Self {
        Self { activities: Vec::new(), places: Vec::new(), heap: Vec::new(), increment: 1.0 }
    }
}

impl Heap {
    pub(super) fn reset(&mut self) {
        self.activities.clear();
        self.places.clear();
        self.heap.clear();
        self.increment = 1.0;
    }

    pub(super) fn grow(&mut self) {
        self.activities.push(0.0);
        self.places.push(ABSENT);
    }

    /// Takes all variables out; their activities stay.
    pub(super) fn empty(&mut self) {
        for variable in self.heap.drain(..) {
            self.places[variable.index()] = ABSENT;
        }
    }

    pub(super) fn insert(&mut self, variable: Variable) {
        if self.places[variable.index()] == ABSENT {
            self.places[variable.index()] = self.heap.len() as u32;
            self.heap.push(variable);
            self.sift_up(self.heap.len() - 1);
        }
    }

    pub(super) fn pop(&mut self) -> Option<Variable> {
        let top = *self.heap.first()?;
        let last = self.heap.pop()?;
        self.places[top.index()] = ABSENT;
        if last != top {
            self.heap[0] = last;
            self.places[last.index()] = 0;
            self.sift_down(0);
        }
        Some(top)
    }

    /// Raises the activity of a variable.
    pub(super) fn bump(&mut self, variable: Variable) {
        let activity = &mut self.activities[variable.index()];
        *activity += self.increment;
        if *activity > LIMIT {
            for activity in &mut self.activities {
                *activity /= LIMIT;
            }
            self.increment /= LIMIT;
        }
        let place = self.places[variable.index()];
        if place != ABSENT {
            self.sift_up(place as usize);
        }
    }

    /// Makes later bumps count more than earlier ones.
    pub(super) fn decay(&mut self) {
        self.increment /= DECAY;
    }

    fn before(&self, a: Variable, b: Variable) -> bool {
        self.activities[a.index()] > self.activities[b.index()]
    }

    fn sift_up(&mut self, mut place: usize) {
        let variable = self.heap[place];
        while place > 0 {
            let parent = (place - 1) / 2;
            if !self.before(variable, self.heap[parent]) {
                break;
            }
            self.set(place, self.heap[parent]);
            place = parent;
        }
        self.set(place, variable);
    }

    fn sift_down(&mut self, mut place: usize) {
        let variable = self.heap[place];
        loop {
            let mut child = 2 * place + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && self.before(self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            if !self.before(self.heap[child], variable) {
                break;
            }
            self.set(place, self.heap[child]);
            place = child;
        }
        self.set(place, variable);
    }

    fn set(&mut self, place: usize, variable: Variable) {
        self.heap[place] = variable;
        self.places[variable.index()] = place as u32;
    }
}
