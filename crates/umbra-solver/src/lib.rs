//! From questions about expressions to answers that were checked.
//!
//! A [`Query`] asks whether constraints and a goal can hold together; the [`Verdict`] is a model, a
//! core of constraints that contradict each other, or unknown. [`chain`] puts the layers together;
//! each is a [`Solver`] that holds the next.
//!
//! Nothing here knows of programs, and nothing prints.
//!
//! ```
//! use umbra_expr::Expressions;
//! use umbra_solver::{Config, Query, Verdict, Solver, chain};
//!
//! let mut expressions = Expressions::new();
//! let input = expressions.input("in", 2);
//! let (x, y) = (expressions.byte(input, 0), expressions.byte(input, 1));
//! let sum = expressions.add(x, y);
//! let (ten, ninety) = (expressions.constant(8, 10), expressions.constant(8, 90));
//! let constraint = expressions.ult(x, ten);
//! let goal = expressions.eq(sum, ninety);
//!
//! let mut solver = chain(Config::default());
//! let verdict = solver.check(&mut expressions, &Query::new(&[constraint], goal))?;
//! let Verdict::Sat(model) = verdict else { panic!("there is such an input") };
//! assert_eq!(model.get(input, 0) + model.get(input, 1), 90);
//! # Ok::<(), umbra_solver::Error>(())
//! ```

mod bitblast;
mod blast;
mod core;
mod graph;
mod layers;
mod query;
mod record;
mod sat;
mod z3;

pub use bitblast::{BitBlaster, BlastStatistics};
pub use core::minimal_core;
pub use layers::{
    Cache, Config, Enumerate, Fallback, Independence, Log, LogEntry, Models, Recorder, RunLimits,
    Simplify, Validate, chain, folder_recorder,
};
pub use query::{
    Core, Error, LayerStatistics, Limits, Model, Query, Question, Reason, Solver, Verdict,
};
pub use record::{RecordedQuery, query_text};
pub use sat::{
    Answer, Budget, Dimacs, DimacsError, Exhausted, Guidance, Literal, Sat, SatStatistics, Variable,
};
pub use z3::Z3;
