//! Paths that need not be followed to know that two versions do the same on them.
//!
//! All that differs between the versions comes from a change. So where nothing differs yet and no
//! change can be reached any more, both do the same, whatever that is. A change can be reached if
//! there is a way to it in the control flow: along jumps, into callees, out to the callers on the
//! state's own stack ([`Distances::with_stack`]), and, where the state is that of a child process, on from where its
//! parents wait. Calls through pointers may reach every function whose
//! address is taken; only `main`, which libc calls so, counts as called once. Control that does not go these ways, which is that of
//! signal handlers and of `longjmp`, must not lead to a change; where it might, nothing is pruned.

use umbra_analysis::{CallGraph, Distances, Flow, NodeId};
use umbra_engine::{Image, Parked, Position};
use umbra_expr::Expressions;
use umbra_ir::{BlockId, FunctionId, Id, Operation, Program, Terminator};

use crate::queue::StateView;

/// Calls that may return again.
const RETURNING_TWICE: [&str; 5] = ["setjmp", "_setjmp", "__setjmp", "sigsetjmp", "__sigsetjmp"];

/// Calls by which a program installs signal handlers.
const INSTALLING: [&str; 7] =
    ["signal", "bsd_signal", "__sysv_signal", "sigset", "sigaction", "__sigaction", "syscall"];

/// Why states of a program cannot be pruned.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unprunable {
    /// A function may be a signal handler, and a change may be reached from it.
    #[error("`{0}` may be a signal handler that runs a change")]
    Handler(String),
    /// A function calls `setjmp`, and a change may be reached from it.
    #[error("`{0}` calls setjmp and may run a change when that returns again")]
    LongJump(String),
}

/// Tells which states can only do the same in both versions.
#[derive(Debug)]
pub struct Pruner {
    flow: Flow,
    /// To the nearest change.
    distances: Distances,
    /// Whether a function that does not return may still be left, by `longjmp`.
    jumps: bool,
    main: Option<FunctionId>,
}

impl Pruner {
    /// For a program with two versions.
    pub fn new(program: &Program) -> Result<Self, Unprunable> {
        let calls = CallGraph::of_any_type(program);
        let flow = Flow::new(program, &calls);
        let entry = |function: FunctionId| flow.node(function, BlockId::from_index(0), 0);
        let distances = Distances::new(&flow, changes(program, &flow));
        let reaches =
            |function: FunctionId| entry(function).is_some_and(|node| distances.of(node).is_some());
        let name = |function: FunctionId| program.functions[function].name.clone();
        // One that the program installs may have been cast to the type.
        let installs =
            INSTALLING.iter().filter_map(|name| program.function(name)).any(|function| {
                let own = |caller: &&FunctionId| !is_library(program, **caller);
                calls.is_address_taken(function)
                    || calls.callers(function).iter().any(|id| own(&id))
            });
        let mut handlers = program.functions.ids().filter(|&function| {
            calls.is_address_taken(function) && (installs || is_handler(program, function))
        });
        if let Some(handler) = handlers.find(|&handler| reaches(handler)) {
            return Err(Unprunable::Handler(name(handler)));
        }
        let setters = RETURNING_TWICE.iter().filter_map(|name| program.function(name));
        let callers: Vec<_> = setters.flat_map(|function| calls.callers(function)).collect();
        if let Some(&&caller) = callers.iter().find(|&&&caller| reaches(caller)) {
            return Err(Unprunable::LongJump(name(caller)));
        }
        let jumps = !callers.is_empty();
        let main = program.function("main");
        Ok(Self { flow, distances, jumps, main })
    }

    /// Whether the versions can only do the same on all paths of a state.
    pub(crate) fn is_settled(
        &self,
        image: &Image,
        expressions: &Expressions,
        view: &StateView,
        parked: &Parked,
    ) -> bool {
        // What is cheap to see, and often enough to know, comes first.
        !self.reaches_change(image, view, parked) && parked.is_undivided(expressions)
    }

    fn reaches_change(&self, image: &Image, view: &StateView, parked: &Parked) -> bool {
        // Parents go on when the process has ended, from where they made it.
        let mut parents = parked.parents();
        self.process_reaches_change(image, view.target, parked)
            || parents.any(|parent| self.process_reaches_change(image, None, parent))
    }

    /// Whether a process can come to a change; `target` is the block that it enters first, if that is known.
    fn process_reaches_change(&self, image: &Image, target: Option<u32>, parked: &Parked) -> bool {
        let stack =
            parked.return_places().chain([parked.place()]).map(|place| image.position(place));
        let stack: Option<Vec<Position>> = stack.collect();
        // What is not known to be out of reach may be in reach, and before `main` everything is.
        let Some(stack) = stack else { return true };
        if !stack.iter().any(|position| Some(position.function) == self.main) {
            return true;
        }
        let node =
            |position: &Position| self.flow.node(position.function, position.block, position.calls);
        let target = target.and_then(|target| image.target_block(target));
        let (here, returns) = match stack.split_last() {
            Some((here, returns)) => (here, returns),
            None => return true,
        };
        let here = match target {
            Some((function, block)) => self.flow.node(function, block, 0),
            None => node(here),
        };
        let returns: Option<Vec<NodeId>> = returns.iter().map(node).collect();
        let (Some(here), Some(mut returns)) = (here, returns) else { return true };
        if self.jumps {
            return returns.iter().chain([&here]).any(|&node| self.distances.of(node).is_some());
        }
        returns.reverse();
        self.distances.with_stack(&self.flow, here, returns).is_some()
    }
}

/// Where the changes of a program are.
fn changes(program: &Program, flow: &Flow) -> Vec<NodeId> {
    let mut changes = Vec::new();
    for (function, definition) in program.functions.iter() {
        let blocks = definition.body.iter().flat_map(|body| body.blocks.iter());
        for (id, block) in blocks {
            let mut calls = 0;
            for instruction in &block.instructions {
                match instruction.operation {
                    Operation::Change { .. } => changes.extend(flow.node(function, id, calls)),
                    Operation::Call { .. } => calls += 1,
                    _ => {}
                }
            }
            if matches!(block.terminator, Terminator::Version { .. }) {
                changes.extend(flow.node(function, id, calls));
            }
        }
    }
    changes
}

/// Whether a function is the libc's.
fn is_library(program: &Program, function: FunctionId) -> bool {
    let identity = program.functions[function].identity.as_ref();
    identity.is_some_and(|identity| program.files[identity.file].path().starts_with("musl"))
}

/// Whether a function could be a signal handler by its type.
fn is_handler(program: &Program, function: FunctionId) -> bool {
    let function = &program.functions[function];
    function.body.is_some()
        && function.results.is_empty()
        && matches!(function.parameters.len(), 1 | 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(first: &str, second: &str) -> Program {
        umbra_ir::parse(&format!("{first}\n{second}")).expect("the text is right")
    }

    fn change(register: u32) -> String {
        format!("r{register}: i32 = change i32 0, i32 1")
    }

    #[test]
    fn a_signal_handler_must_not_lead_to_a_change() {
        let handler = |parameters: &str, body: &str| {
            program(
                &format!("fn0 @handler({parameters}) {{\nbb0 weight 2:\n{body}\nreturn\n}}"),
                "fn1 @main(r0: ptr) {\nbb0 weight 2:\nstore ptr fn0@handler, r0\nreturn\n}",
            )
        };
        let found = Pruner::new(&handler("r0: i32", &change(1)));
        assert_eq!(found.unwrap_err(), Unprunable::Handler("handler".to_owned()));
        assert!(Pruner::new(&handler("r0: i32", "")).is_ok());
        assert!(Pruner::new(&handler("r0: i32, r1: i32", &change(2))).is_ok());
    }

    #[test]
    fn a_program_that_installs_handlers_may_have_cast_them() {
        let installing = |call: &str| {
            let text = format!(
                "fn0 @handler() {{\nbb0 weight 2:\n{}\nreturn\n}}
                 fn1 @signal(i32, ptr) -> ptr
                 fn2 @main(r0: ptr) {{\nbb0 weight 2:\nstore ptr fn0@handler, r0\n{call}\nreturn\n}}",
                change(0)
            );
            Pruner::new(&umbra_ir::parse(&text).expect("the text is right"))
        };
        let found = installing("r1: ptr = call fn1@signal(i32 2, ptr fn0@handler)");
        assert_eq!(found.unwrap_err(), Unprunable::Handler("handler".to_owned()));
        assert!(installing("").is_ok());
    }

    #[test]
    fn a_second_return_must_not_lead_to_a_change() {
        let caller = |body: &str| {
            program(
                "fn0 @setjmp(ptr) -> i32",
                &format!("fn1 @main(r0: ptr) {{\nbb0 weight 2:\n{body}\nreturn\n}}"),
            )
        };
        let jumps = "r1: i32 = call fn0@setjmp(r0)";
        let found = Pruner::new(&caller(&format!("{jumps}\n{}", change(2))));
        assert_eq!(found.unwrap_err(), Unprunable::LongJump("main".to_owned()));
        assert!(Pruner::new(&caller(jumps)).is_ok());
        assert!(Pruner::new(&caller(&change(1))).is_ok());
    }
}
