//! What must hold for a target to be reached.
//!
//! Backwards from the target, first in its function and then in the callers, as in KATCH (Marinescu and
//! Cadar, FSE 2013): `out(b)` is the disjunction over the successors of the condition of the edge and
//! `in(successor)`, `in(b)` is the weakest precondition of `b` and `out(b)`. Of a disjunction, only what all
//! sides say of the same variable is kept, so formulas do not grow; one that changes too often becomes
//! true. So a formula is implied by "the target is still going to be reached", and where it is false, the
//! target cannot be reached any more. This goes beyond the paper: assignments are followed through memory
//! whose address is a constant or a register plus a constant, over calls that do not write there, and also
//! from a function's return on, since a run may come to the target in a later call.
//!
//! It relies on what [`PointsTo`] relies on, and on stores that stay inside their objects. Signal handlers are
//! taken into account by their type; threads are not. Where control may go on behind a `setjmp`, nothing is demanded.

mod backward;
mod formula;
mod values;

use std::collections::{BTreeSet, HashMap, HashSet};

use umbra_ir::{
    BlockId, BlockPlace, Body, Callee, FunctionId, Id, Operand, Operation, Program, RegisterId,
    Terminator,
};

use crate::call_graph::CallGraph;
use crate::distance::Distances;
use crate::executed::Step;
use crate::flow::Flow;
use crate::points_to::PointsTo;

pub use formula::{Base, Formula, Source, Variable};
pub use values::Values;

pub(crate) use backward::Backward;
use backward::first_contents;
pub(crate) use values::mask;

use crate::effects::{Bytes, Effects};

/// How often a formula may become weaker before it says nothing.
const MAX_CHANGES: u8 = 12;

/// What preconditions are computed from, for any target of a program.
#[derive(Debug)]
pub struct Conditions<'a> {
    pub(crate) program: &'a Program,
    pub(crate) calls: &'a CallGraph,
    pub(crate) flow: &'a Flow,
    pub(crate) effects: Effects<'a>,
    /// Functions that may jump out of themselves.
    jumps: Vec<bool>,
}

impl<'a> Conditions<'a> {
    /// For a program, with its calls and control flow in any measure.
    pub fn new(
        program: &'a Program,
        calls: &'a CallGraph,
        flow: &'a Flow,
        pointers: &'a PointsTo<'a>,
    ) -> Self {
        let effects = Effects::new(program, calls, pointers);
        let names = ["longjmp", "_longjmp", "siglongjmp"];
        let functions = names.iter().filter_map(|name| program.function(name));
        let jumps = effects.callers_of(functions.collect());
        Self { program, calls, flow, effects, jumps }
    }

    /// What must hold for a block to be reached, at every place from which calls lead to it.
    ///
    /// Runs begin at the start of a function: `_start_c`, or `main`.
    pub fn before(&self, target: BlockPlace, start: FunctionId) -> Preconditions {
        let mut search = Search::new(self, target, start);
        search.run();
        let useless = self.useless_steps(&search.formulas);
        Preconditions {
            formulas: search.formulas,
            useless,
            start,
            by_machine: search.by_machine,
            rounds: search.rounds,
        }
    }

    /// The steps in front of which a formula is false.
    fn useless_steps(&self, found: &Formulas) -> HashSet<Step> {
        let (mut taken, mut useful) = (HashSet::new(), HashSet::new());
        for (&function, formulas) in found {
            let Some(body) = self.body(function) else { continue };
            let backward = Backward::new(self.program, &self.effects, function, body);
            for (from, block) in body.blocks.iter() {
                for (edge, formula) in over_edges(&backward, formulas, &block.terminator) {
                    let step = Step::Jump { function, from, to: edge.block };
                    taken.insert(step);
                    if !formula.is_false() {
                        useful.insert(step);
                    }
                }
                for instruction in &block.instructions {
                    let call = &instruction.operation;
                    let callees = self.calls.callees_of_call(self.program, function, body, call);
                    for to in callees.all() {
                        let step = Step::Call { from: BlockPlace { function, block: from }, to };
                        taken.insert(step);
                        if found.get(&to).is_some_and(|formulas| {
                            !at_call(&backward, self.body(to), &formulas[0], call).is_false()
                        }) {
                            useful.insert(step);
                        }
                    }
                }
            }
        }
        taken.difference(&useful).copied().collect()
    }

    fn entry(&self, function: FunctionId) -> Option<crate::NodeId> {
        self.flow.node(function, BlockId::from_index(0), 0)
    }

    /// Whether a call of a function may come back, if only by a jump.
    fn may_return(&self, function: FunctionId) -> bool {
        match self.entry(function) {
            Some(node) => self.flow.to_end(node).is_some() || self.jumps[function.index()],
            None => true,
        }
    }

    /// Whether control may leave functions in other ways than by returning.
    pub(crate) fn has_jumps(&self) -> bool {
        self.jumps.contains(&true)
    }

    fn body(&self, function: FunctionId) -> Option<&'a Body> {
        self.program.functions[function].body.as_ref()
    }
}

/// By function and block.
type Formulas = HashMap<FunctionId, Vec<Formula>>;

/// What must hold at the start of each block for a target to be reached from there.
#[derive(Clone, Debug)]
pub struct Preconditions {
    /// Only functions from which calls lead to the target.
    formulas: Formulas,
    useless: HashSet<Step>,
    start: FunctionId,
    /// Functions that the machine may call.
    by_machine: Vec<FunctionId>,
    /// Blocks that were looked at: what the analysis cost.
    rounds: u64,
}

impl Preconditions {
    /// What must hold at the start of a block; `None` if no call leads from its function to the target, and so
    /// nothing is known.
    pub fn of(&self, place: BlockPlace) -> Option<&Formula> {
        self.formulas.get(&place.function)?.get(place.block.index())
    }

    /// Whether a run that takes this step does not come to the target any more (for a call: not in it).
    pub fn is_useless(&self, step: &Step) -> bool {
        self.useless.contains(step)
    }

    /// Whether no run that begins at the start comes to the target.
    ///
    /// Globals have their first contents then.
    pub fn is_unreachable(&self, program: &Program) -> bool {
        let entry = BlockPlace { function: self.start, block: BlockId::from_index(0) };
        let first = |&function: &FunctionId| Some(&self.formulas.get(&function)?[0]);
        let Some(formula) = self.of(entry) else { return false };
        if !self.by_machine.iter().filter_map(first).all(Formula::is_false) {
            return false;
        }
        let first_value = |variable: Variable| match variable.source {
            Source::Memory { base: Base::Global(global), offset, bytes } => {
                first_contents(program, global, offset, bytes)
            }
            _ => None,
        };
        formula.holds(&first_value) == Some(false)
    }

    /// How many times a block was looked at.
    pub fn work(&self) -> u64 {
        self.rounds
    }
}

/// What must hold in front of each edge.
fn over_edges<'b>(
    backward: &Backward<'_>,
    formulas: &[Formula],
    terminator: &'b Terminator,
) -> Vec<(&'b umbra_ir::Edge, Formula)> {
    let conditions = backward.conditions(terminator);
    let edges = terminator.edges().into_iter().zip(conditions);
    edges
        .map(|(edge, condition)| {
            let mut formula = backward.over_edge(&formulas[edge.block.index()], edge);
            for (variable, values) in condition.atoms() {
                formula.demand(variable, values);
            }
            let formula = if condition.is_false() { condition } else { formula };
            (edge, formula)
        })
        .collect()
}

/// What must hold at a call for the formula at the start of its callee to hold.
fn at_call(
    backward: &Backward<'_>,
    callee: Option<&Body>,
    formula: &Formula,
    call: &Operation,
) -> Formula {
    let Operation::Call { arguments, .. } = call else { return Formula::TRUE };
    let parameters = callee.and_then(|body| body.blocks.values().next()).map(|b| &b.parameters);
    let argument = |register: RegisterId| {
        let position = parameters?.iter().position(|&parameter| parameter == register)?;
        arguments.get(position).copied()
    };
    formula.mapped(&mut |result, variable, values| match variable.source {
        Source::Register(register) => {
            let Some(argument) = argument(register) else { return };
            let bits = backward.program.type_of(backward.body, argument.operand).bits();
            if bits == variable.bits && argument.by_value.is_none() {
                backward.demand_operand(result, argument.operand, variable.mask, values);
            }
        }
        Source::Memory { base: Base::Register(register), offset, .. } => {
            let Some(argument) = argument(register) else { return };
            if argument.by_value.is_none() {
                backward.demand_moved(result, argument.operand, offset, variable, values);
            }
        }
        Source::Memory { .. } => result.demand(variable, values),
    })
}

/// The search for the formulas of one target.
struct Search<'a, 'b> {
    conditions: &'b Conditions<'a>,
    target: BlockPlace,
    /// Functions from which calls lead to the target.
    backward: HashMap<FunctionId, Backward<'b>>,
    formulas: Formulas,
    /// What must hold when a function returns.
    returns: HashMap<FunctionId, Formula>,
    /// How often a formula became weaker: that of a block, or, without one, of a return.
    changes: HashMap<(FunctionId, Option<BlockId>), u8>,
    predecessors: HashMap<FunctionId, Vec<Vec<BlockId>>>,
    /// The blocks with calls of each function.
    callers: HashMap<FunctionId, BTreeSet<BlockPlaceKey>>,
    open: BTreeSet<BlockPlaceKey>,
    /// Functions that the machine may call.
    by_machine: Vec<FunctionId>,
    rounds: u64,
}

type BlockPlaceKey = (FunctionId, BlockId);

impl<'a, 'b> Search<'a, 'b> {
    fn new(conditions: &'b Conditions<'a>, target: BlockPlace, start: FunctionId) -> Self {
        let mut search = Self {
            conditions,
            target,
            backward: HashMap::new(),
            formulas: HashMap::new(),
            returns: HashMap::new(),
            changes: HashMap::new(),
            predecessors: HashMap::new(),
            callers: HashMap::new(),
            open: BTreeSet::new(),
            by_machine: Vec::new(),
            rounds: 0,
        };
        let node = conditions.flow.node(target.function, target.block, 0);
        let distances = Distances::new(conditions.flow, node);
        for (function, description) in conditions.program.functions.iter() {
            let leads =
                conditions.entry(function).is_some_and(|entry| distances.of(entry).is_some());
            let Some(body) = description.body.as_ref() else { continue };
            // The block may be one that its own function does not lead to.
            if leads || function == target.function {
                search.add_function(function, body, start);
            }
        }
        search
    }

    fn add_function(&mut self, function: FunctionId, body: &'b Body, start: FunctionId) {
        let conditions = self.conditions;
        let backward = Backward::new(conditions.program, &conditions.effects, function, body);
        let mut predecessors = vec![Vec::new(); body.blocks.len()];
        for (id, block) in body.blocks.iter() {
            for edge in block.terminator.edges() {
                predecessors[edge.block.index()].push(id);
            }
            for instruction in &block.instructions {
                let call = &instruction.operation;
                let callees =
                    conditions.calls.callees_of_call(conditions.program, function, body, call);
                for callee in callees.all() {
                    self.callers.entry(callee).or_default().insert((function, id));
                }
            }
        }
        // Who is called by the machine goes on somewhere else.
        let by_machine = conditions.calls.callers(function).is_empty() && function != start
            || conditions.effects.is_given(function);
        let after = if by_machine { Formula::TRUE } else { Formula::FALSE };
        if by_machine {
            self.by_machine.push(function);
        }
        self.returns.insert(function, after);
        self.predecessors.insert(function, predecessors);
        self.formulas.insert(function, vec![Formula::FALSE; body.blocks.len()]);
        self.open.extend(body.blocks.ids().map(|block| (function, block)));
        self.backward.insert(function, backward);
    }

    fn run(&mut self) {
        // A handler that leads to the target may be called anywhere.
        let handlers = self.conditions.effects.handlers();
        let anywhere = handlers.iter().any(|handler| self.formulas.contains_key(handler));
        while let Some((function, block)) = self.open.pop_last() {
            self.rounds += 1;
            let place = BlockPlace { function, block };
            // Calls in the target's block return to it as well.
            let formula = self.before_block(place);
            match anywhere || place == self.target {
                true => self.update(place, &Formula::TRUE),
                false => self.update(place, &formula),
            }
        }
    }

    fn update(&mut self, place: BlockPlace, formula: &Formula) {
        let Some(formulas) = self.formulas.get_mut(&place.function) else { return };
        let old = &formulas[place.block.index()];
        let mut new = old.or(formula);
        if new == *old {
            return;
        }
        let changes = self.changes.entry((place.function, Some(place.block))).or_default();
        *changes = changes.saturating_add(1);
        if *changes > MAX_CHANGES {
            new = Formula::TRUE;
        }
        formulas[place.block.index()] = new;
        if let Some(predecessors) = self.predecessors.get(&place.function) {
            let before = predecessors[place.block.index()].iter();
            self.open.extend(before.map(|&block| (place.function, block)));
        }
        if place.block.index() == 0
            && let Some(callers) = self.callers.get(&place.function)
        {
            self.open.extend(callers);
        }
    }

    fn before_block(&mut self, place: BlockPlace) -> Formula {
        let Some(body) = self.conditions.body(place.function) else { return Formula::TRUE };
        let block = &body.blocks[place.block];
        let backward = &self.backward[&place.function];
        let mut formula = match &block.terminator {
            Terminator::Return(_) => {
                // Who returns to a caller takes nothing of its own there.
                self.returns[&place.function].clone()
            }
            terminator => {
                let edges = over_edges(backward, &self.formulas[&place.function], terminator);
                edges.iter().fold(Formula::FALSE, |all, (_, formula)| all.or(formula))
            }
        };
        let mut later = Vec::new();
        for instruction in block.instructions.iter().rev() {
            let operation = &instruction.operation;
            formula = match operation {
                Operation::Call { .. } => {
                    let backward = &self.backward[&place.function];
                    let over = self.over_call(backward, &formula, operation);
                    later.extend(over.returning);
                    over.before
                }
                _ => self.backward[&place.function].over(&formula, operation),
            };
        }
        for (callee, formula) in later {
            self.returns_with(callee, &formula);
        }
        formula
    }

    fn over_call(&self, backward: &Backward<'_>, after: &Formula, call: &Operation) -> OverCall {
        let conditions = self.conditions;
        let Operation::Call { destinations, callee, .. } = call else {
            return OverCall { before: after.clone(), returning: Vec::new() };
        };
        let callees = conditions.calls.callees_of_call(
            conditions.program,
            backward.function,
            backward.body,
            call,
        );
        let callees: Vec<FunctionId> = callees.all().collect();
        if let Callee::Direct(callee) = callee
            && conditions.jumps[callee.index()]
            && conditions.body(*callee).is_none()
        {
            // Behind some setjmp.
            return OverCall { before: Formula::TRUE, returning: Vec::new() };
        }
        let after = backward.without(after, destinations);
        let mut over = OverCall { before: Formula::FALSE, returning: Vec::new() };
        let returns = callees.is_empty() || callees.iter().any(|&c| conditions.may_return(c));
        if returns {
            over.before = backward.after_write(&after, |place| {
                callees.is_empty()
                    || callees.iter().any(|&c| self.may_write(backward, c, call, place))
            });
        }
        if callees.iter().any(|callee| conditions.jumps[callee.index()]) {
            over.before = Formula::TRUE;
        }
        let global = after.mapped(&mut |result, variable, values| {
            if matches!(variable.source, Source::Memory { base: Base::Global(_), .. }) {
                result.demand(variable, values);
            }
        });
        for callee in callees {
            let Some(formulas) = self.formulas.get(&callee) else { continue };
            over.returning.push((callee, global.clone()));
            let inside = at_call(backward, conditions.body(callee), &formulas[0], call);
            over.before = over.before.or(&inside);
        }
        over
    }

    /// Whether a callee may write some bytes; what the machine does it does where arguments point to.
    fn may_write(
        &self,
        backward: &Backward<'_>,
        callee: FunctionId,
        call: &Operation,
        place: &[Bytes],
    ) -> bool {
        let effects = &self.conditions.effects;
        if self.conditions.body(callee).is_some() {
            return effects.may_write(callee, place);
        }
        let Operation::Call { arguments, .. } = call else { return true };
        let operands: Vec<Operand> = arguments.iter().map(|argument| argument.operand).collect();
        effects.may_pass(backward.function, &operands, place)
    }

    /// A function may return to a place where this must hold.
    fn returns_with(&mut self, callee: FunctionId, formula: &Formula) {
        let Some(returns) = self.returns.get_mut(&callee) else { return };
        let new = returns.or(formula);
        if new == *returns {
            return;
        }
        let changes = self.changes.entry((callee, None)).or_default();
        *changes = changes.saturating_add(1);
        *returns = if *changes > MAX_CHANGES { Formula::TRUE } else { new };
        if let Some(body) = self.conditions.body(callee) {
            let returning = |terminator: &Terminator| matches!(terminator, Terminator::Return(_));
            let blocks = body.blocks.iter().filter(|(_, block)| returning(&block.terminator));
            self.open.extend(blocks.map(|(block, _)| (callee, block)));
        }
    }
}

/// What a call makes of a formula.
struct OverCall {
    before: Formula,
    /// What must hold when callees return.
    returning: Vec<(FunctionId, Formula)>,
}
