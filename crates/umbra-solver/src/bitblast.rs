//! The backend of our own: bit-blasting with a SAT solver that is kept between queries.
//!
//! Constraints are assumptions, so nothing that was learnt depends on a query. Clauses of a node
//! are made when it first is part of a query; when more is loaded than the queries at hand need,
//! the solver starts afresh with the cone of the current one. Before a search, what the
//! assumptions force is combined with the hint (or the last model): often that is a model already.
//! If not, only the nodes below the terms that it violates are decided; then it is combined and tried
//! again, until nothing is violated. So a search touches little of a long path, and models stay
//! near the hint.

use std::time::Instant;

use umbra_expr::{Assignment, Evaluator, ExprId, Expressions};

use crate::blast::Blaster;
use crate::graph::{Edge, Gate};
use crate::query::{
    Core, Error, LayerStatistics, Limits, Patience, Query, Reason, Solver, Verdict, sorted_core,
};
use crate::sat::{Answer, Budget, Exhausted, Guidance, Literal, Sat, SatStatistics, Variable};

/// About 200 MB.
const NODE_LIMIT: usize = 4_000_000;

/// How queries were answered by [`BitBlaster`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlastStatistics {
    /// By propagation of the assumptions alone.
    pub propagated: u64,
    /// By what the assumptions force, filled up with the hint or the last model.
    pub repaired: u64,
    /// By a search.
    pub searched: u64,
    /// How often the clauses were thrown away.
    pub resets: u64,
    /// How often the graph was thrown away.
    pub restarts: u64,
    /// Nodes of the graph.
    pub nodes: usize,
    /// Counters of the SAT solver.
    pub sat: SatStatistics,
}

/// The bit-blasting backend.
#[derive(Debug, Default)]
pub struct BitBlaster {
    limits: Limits,
    node_limit: usize,
    blaster: Blaster,
    sat: Sat,
    /// By node: the variable, if its stamp is the current generation.
    variables: Vec<(u32, Variable)>,
    generation: u32,
    /// By node: the last query whose cone it was in.
    cones: Vec<u32>,
    /// By node: the last query whose search had it in focus.
    focused: Vec<u32>,
    query: u32,
    cone: Vec<u32>,
    /// Graph inputs of the cone: their number and variable.
    inputs: Vec<(u32, Variable)>,
    last: Assignment,
    open: Vec<Edge>,
    evaluator: Evaluator,
    layer: LayerStatistics,
    statistics: BlastStatistics,
}

impl BitBlaster {
    /// A backend that gives up as the limits say.
    pub fn new(limits: Limits) -> Self {
        Self::with_node_limit(limits, NODE_LIMIT)
    }

    /// One that forgets everything when its graph has grown beyond this many nodes.
    pub fn with_node_limit(limits: Limits, node_limit: usize) -> Self {
        let layer = LayerStatistics::new("bit-blaster");
        Self { limits, node_limit, layer, generation: 1, ..Self::default() }
    }

    /// How queries were answered.
    pub fn statistics(&self) -> BlastStatistics {
        BlastStatistics {
            nodes: self.blaster.graph.len(),
            sat: self.sat.statistics(),
            ..self.statistics
        }
    }

    fn answer(&mut self, exprs: &Expressions, query: &Query<'_>) -> Verdict {
        if self.blaster.size() > self.node_limit {
            self.restart();
        }
        let terms: Vec<ExprId> = query.terms().collect();
        let mut edges = Vec::with_capacity(terms.len());
        let mut patience = self.limits.patience();
        for &term in &terms {
            match self.blaster.condition(exprs, term, &mut patience) {
                Ok(Edge::FALSE) => return Verdict::Unsat(vec![term]),
                Ok(edge) => edges.push(edge),
                Err(reason) => return Verdict::Unknown(reason),
            }
        }
        if let Err(reason) = self.load(&edges, &mut patience) {
            // Some of the variables have no clauses.
            self.reset();
            return Verdict::Unknown(reason);
        }
        let mut assumptions: Vec<Literal> = Vec::with_capacity(edges.len());
        assumptions.extend(
            edges.iter().filter(|edge| !edge.is_constant()).map(|&edge| self.literal(edge)),
        );
        if !self.sat.assume(&assumptions) {
            self.statistics.propagated += 1;
            return Verdict::Unsat(self.core(&terms, &edges));
        }
        let base = query.hint.unwrap_or(&self.last).clone();
        self.set_phases(&base);
        let mut sat = std::mem::take(&mut self.sat);
        let mut attempts = 0;
        let mut model = None;
        let answer = sat.search(&self.budget(), &mut |sat| {
            attempts += 1;
            model = self.attempt(exprs, &terms, &edges, sat, &base);
            if model.is_some() { Guidance::Enough } else { Guidance::More }
        });
        self.sat = sat;
        if answer == Answer::Satisfied && attempts == 1 {
            self.statistics.repaired += 1;
        } else {
            self.statistics.searched += 1;
        }
        match answer {
            Answer::Satisfied => {
                // Without a model every variable has a value.
                let model = model.unwrap_or_else(|| self.model(&self.sat, &base));
                self.last.clone_from(&model);
                Verdict::Sat(model)
            }
            Answer::Unsatisfied => Verdict::Unsat(self.core(&terms, &edges)),
            Answer::GaveUp(reason) => Verdict::Unknown(match reason {
                Exhausted::Conflicts => Reason::Conflicts,
                Exhausted::Time => Reason::Time,
                Exhausted::Stopped => Reason::Stopped,
            }),
        }
    }

    fn budget(&self) -> Budget {
        Budget {
            conflicts: self.limits.conflicts,
            // Half of it: what is left is for the backend that is asked then.
            deadline: self.limits.time_left().map(|time| Instant::now() + time / 2),
            stop: self.limits.stop.clone(),
        }
    }

    /// Forgets the graph.
    fn restart(&mut self) {
        self.statistics.restarts += 1;
        self.blaster.clear();
        self.variables.clear();
        self.cones.clear();
        self.focused.clear();
        self.query = 0;
        self.reset();
    }

    /// Forgets the clauses.
    fn reset(&mut self) {
        self.sat.reset();
        self.generation += 1;
    }

    /// Makes the cone of the edges the one of the SAT solver, with the clauses that it lacks.
    fn load(&mut self, edges: &[Edge], patience: &mut Patience) -> Result<(), Reason> {
        self.find_cone(edges);
        if self.sat.variables() > 3 * self.cone.len() + 2000 {
            self.statistics.resets += 1;
            self.reset();
        }
        self.sat.begin();
        self.inputs.clear();
        // Operands have lower numbers than the nodes that use them, but the cone starts with the
        // outputs: variables are made first.
        let first_new = self.sat.variables();
        for index in 0..self.cone.len() {
            let node = self.cone[index] as usize;
            if self.variables[node].0 != self.generation {
                self.variables[node] = (self.generation, self.sat.variable(false));
            }
            let variable = self.variables[node].1;
            self.sat.activate(variable);
            if let Gate::Input(number) = self.blaster.graph.gate(node) {
                self.inputs.push((number, variable));
            }
        }
        for index in 0..self.cone.len() {
            let node = self.cone[index] as usize;
            if self.variables[node].1.index() >= first_new {
                self.define(node);
                if let Some(reason) = patience.end(4) {
                    return Err(reason);
                }
            }
        }
        Ok(())
    }

    /// Collects the nodes below the edges, outputs first.
    fn find_cone(&mut self, edges: &[Edge]) {
        let graph = &self.blaster.graph;
        self.query += 1;
        self.cones.resize(graph.len(), 0);
        self.focused.resize(graph.len(), 0);
        self.variables.resize(graph.len(), (0, Variable::from_index(0)));
        self.cone.clear();
        let (cone, cones, query) = (&mut self.cone, &mut self.cones, self.query);
        let mut visit = |cone: &mut Vec<u32>, edge: Edge| {
            let stamp = &mut cones[edge.node()];
            if *stamp != query && !edge.is_constant() {
                *stamp = query;
                cone.push(edge.node() as u32);
            }
        };
        for &edge in edges {
            visit(cone, edge);
        }
        // The list is its own queue.
        let mut next = 0;
        while next < cone.len() {
            for operand in graph.gate(cone[next] as usize).operands() {
                visit(cone, operand);
            }
            next += 1;
        }
    }

    fn literal(&self, edge: Edge) -> Literal {
        self.variables[edge.node()].1.literal(!edge.is_complement())
    }

    /// The clauses that say what a node is.
    fn define(&mut self, node: usize) {
        let output = self.variables[node].1.literal(true);
        match self.blaster.graph.gate(node) {
            Gate::False | Gate::Input(_) => {}
            Gate::And(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.sat.add_clause(&[!output, a]);
                self.sat.add_clause(&[!output, b]);
                self.sat.add_clause(&[output, !a, !b]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (self.literal(a), self.literal(b));
                self.sat.add_clause(&[!output, a, b]);
                self.sat.add_clause(&[!output, !a, !b]);
                self.sat.add_clause(&[output, !a, b]);
                self.sat.add_clause(&[output, a, !b]);
            }
            Gate::Mux(c, a, b) => {
                let (c, a, b) = (self.literal(c), self.literal(a), self.literal(b));
                self.sat.add_clause(&[!c, !a, output]);
                self.sat.add_clause(&[!c, a, !output]);
                self.sat.add_clause(&[c, !b, output]);
                self.sat.add_clause(&[c, b, !output]);
                // Implied, but unit propagation does not see it when the condition is open.
                self.sat.add_clause(&[!a, !b, output]);
                self.sat.add_clause(&[a, b, !output]);
            }
        }
    }

    /// What the values at hand make of the base; bits without a value keep that of the base.
    fn model(&self, sat: &Sat, base: &Assignment) -> Assignment {
        let mut model = base.clone();
        for &(number, variable) in &self.inputs {
            if let Some(value) = sat.value(variable.literal(true)) {
                let (array, offset, bit) = self.blaster.input(number);
                let old = model.get(array, offset);
                let new = old & !(1 << bit) | u8::from(value) << bit;
                if old != new {
                    model.set(array, offset, new);
                }
            }
        }
        model
    }

    /// Inputs are first tried with their values in the base.
    fn set_phases(&mut self, base: &Assignment) {
        for &(number, variable) in &self.inputs {
            let (array, offset, bit) = self.blaster.input(number);
            self.sat.set_phase(variable, base.get(array, offset) >> bit & 1 == 1);
        }
    }

    /// Looks whether the values at hand over the base are a model; if not, sets the cones of what
    /// they violate in focus.
    fn attempt(
        &mut self,
        exprs: &Expressions,
        terms: &[ExprId],
        edges: &[Edge],
        sat: &mut Sat,
        base: &Assignment,
    ) -> Option<Assignment> {
        let model = self.model(sat, base);
        let mut run = self.evaluator.run(exprs, &model);
        let mut satisfied = true;
        for (&term, &edge) in terms.iter().zip(edges) {
            if run.is_true(term) {
                continue;
            }
            satisfied = false;
            self.open.push(edge);
            while let Some(edge) = self.open.pop() {
                let stamp = &mut self.focused[edge.node()];
                if *stamp != self.query && !edge.is_constant() {
                    *stamp = self.query;
                    sat.focus(self.variables[edge.node()].1);
                    self.open.extend(self.blaster.graph.gate(edge.node()).operands());
                }
            }
        }
        satisfied.then_some(model)
    }

    fn core(&self, terms: &[ExprId], edges: &[Edge]) -> Core {
        let core = self.sat.core();
        let failed = |edge: Edge| !edge.is_constant() && core.contains(&self.literal(edge));
        let terms = terms.iter().zip(edges).filter(|&(_, &edge)| failed(edge));
        sorted_core(terms.map(|(&term, _)| term).collect())
    }
}

impl Solver for BitBlaster {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        let start = Instant::now();
        let verdict = self.answer(expressions, query);
        self.layer.record(&verdict, start.elapsed());
        Ok(verdict)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        layers.push(self.layer.clone());
    }
}
