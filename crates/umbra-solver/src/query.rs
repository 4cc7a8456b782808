//! Questions and answers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use umbra_expr::{Assignment, ExprId, Expressions};

/// Is there an assignment under which all constraints and the goal are one?
///
/// Constraints and goal are expressions of one bit without shadow pairs.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// What holds already.
    pub constraints: &'a [ExprId],
    /// What is asked in addition.
    pub goal: ExprId,
    /// An assignment to start from, usually that of the state.
    ///
    /// Best one that satisfies the constraints, but nothing relies on it. Bytes that do not matter
    /// keep its values in a model.
    pub hint: Option<&'a Assignment>,
    /// Whether whoever asks knows that the hint satisfies the constraints. Then layers look only at
    /// what changes: a path of thousands of constraints is not gone through for every question.
    pub is_witness: bool,
    /// Whether the answer is only worth what our own solver does for it. What that leaves open is unknown.
    pub is_light: bool,
}

impl<'a> Query<'a> {
    /// A question without an assignment to start from.
    pub fn new(constraints: &'a [ExprId], goal: ExprId) -> Self {
        Self { constraints, goal, hint: None, is_witness: false, is_light: false }
    }

    /// The same question with an assignment to start from.
    pub fn with_hint(self, hint: &'a Assignment) -> Self {
        Self { hint: Some(hint), ..self }
    }

    /// The same question with an assignment that is known to satisfy the constraints.
    pub fn with_witness(self, witness: &'a Assignment) -> Self {
        Self { hint: Some(witness), is_witness: true, ..self }
    }

    /// The same question, for which the second solver is not to be asked.
    pub fn lightly(self) -> Self {
        Self { is_light: true, ..self }
    }

    /// An assignment that satisfies the constraints, if one is known.
    pub fn witness(&self) -> Option<&'a Assignment> {
        self.hint.filter(|_| self.is_witness)
    }

    /// The constraints, then the goal.
    pub fn terms(&self) -> impl Iterator<Item = ExprId> + '_ {
        self.constraints.iter().copied().chain([self.goal])
    }
}

/// A value for every input byte.
pub type Model = Assignment;

/// The answer to a [`Query`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// There is such an assignment: this one.
    Sat(Model),
    /// There is none.
    Unsat(Core),
    /// Not known. Never to be taken for either of the others.
    Unknown(Reason),
}

impl Verdict {
    /// The name used in texts: `sat`, `unsat` or `unknown`.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Sat(_) => "sat",
            Verdict::Unsat(_) => "unsat",
            Verdict::Unknown(_) => "unknown",
        }
    }

    /// Constraints that cannot hold together, if it is [`Verdict::Unsat`].
    pub fn core(&self) -> Option<&[ExprId]> {
        match self {
            Verdict::Unsat(core) => Some(core),
            _ => None,
        }
    }

    /// Whether it is [`Verdict::Sat`].
    pub fn is_sat(&self) -> bool {
        matches!(self, Verdict::Sat(_))
    }

    /// Whether it is [`Verdict::Unsat`].
    pub fn is_unsat(&self) -> bool {
        matches!(self, Verdict::Unsat(_))
    }
}

/// Constraints (and perhaps the goal) of a query that cannot hold together; sorted.
///
/// Usually far from all of them, but not necessarily as few as possible.
pub type Core = Vec<ExprId>;

/// Why an answer is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The conflicts of a query were used up.
    Conflicts,
    /// The time of a query was used up.
    Time,
    /// The time of all queries together was used up.
    RunTime,
    /// Someone asked to stop.
    Stopped,
    /// An operation that no backend in the chain takes, such as a float without Z3.
    Unsupported,
    /// A table or input is read at an unknown index and is too large to be laid out, or the query
    /// is too large for Z3.
    TooLarge,
    /// Z3 gave up for a reason of its own.
    Incomplete,
    /// A model of floats that does not survive evaluation (the bits of NaNs are not specified).
    FloatModel,
}

impl Reason {
    /// The name used in statistics and reports.
    pub fn name(self) -> &'static str {
        match self {
            Reason::Conflicts => "conflicts",
            Reason::Time => "time",
            Reason::RunTime => "run-time",
            Reason::Stopped => "stopped",
            Reason::Unsupported => "unsupported",
            Reason::TooLarge => "too-large",
            Reason::Incomplete => "incomplete",
            Reason::FloatModel => "float-model",
        }
    }
}

/// When the query that is being answered has to be: copies are of the same clock.
#[derive(Clone, Debug, Default)]
pub struct Question(Arc<Mutex<Option<Instant>>>);

impl Question {
    /// A query begins that may take so long.
    pub(crate) fn begin(&self, time: Option<Duration>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) =
            time.map(|time| Instant::now() + time);
    }

    /// When its time is used up; `None` if it has none of its own.
    fn end(&self) -> Option<Instant> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// How long to try.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Conflicts of our own solver for each query, after which the next backend is asked.
    ///
    /// The only limit that gives the same answers in every run.
    pub conflicts: Option<u64>,
    /// Work units of Z3 (its `rlimit`) for each query: the counterpart of `conflicts`.
    pub work: Option<u32>,
    /// Time for each query, by the wall: all parts of it and all backends that are asked have it together.
    pub time: Option<Duration>,
    /// When the query that is being answered has used up that time; all layers of one chain share it.
    pub question: Question,
    /// Time for all queries together.
    pub run_time: Option<Duration>,
    /// When the run ends: no query goes on beyond it.
    pub deadline: Option<Instant>,
    /// Ends the current query and all later ones when set.
    pub stop: Option<Arc<AtomicBool>>,
}

/// Until when a query may go on, for loops that do not ask the SAT solver.
#[derive(Clone, Debug, Default)]
pub(crate) struct Patience {
    deadline: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
    /// Since the last look.
    work: usize,
}

impl Patience {
    /// Work between two looks at the clock: about as many nodes of a graph.
    const EVERY: usize = 1024;

    /// Why to give up now, if at all, after so much more work.
    pub(crate) fn end(&mut self, work: usize) -> Option<Reason> {
        self.work += work;
        if self.work < Self::EVERY {
            return None;
        }
        self.work = 0;
        if self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
            return Some(Reason::Stopped);
        }
        self.deadline.is_some_and(|end| Instant::now() >= end).then_some(Reason::Time)
    }
}

impl Limits {
    /// The time that a query which begins now may take; `None` is any time.
    pub fn time_left(&self) -> Option<Duration> {
        let now = Instant::now();
        let until = |end: Instant| end.saturating_duration_since(now);
        let time = self.question.end().map(until).or(self.time);
        match (time, self.deadline.map(until)) {
            (Some(time), Some(left)) => Some(time.min(left)),
            (time, left) => time.or(left),
        }
    }

    /// The patience of a query that begins now.
    pub(crate) fn patience(&self) -> Patience {
        let deadline = self.time_left().map(|time| Instant::now() + time);
        Patience { deadline, stop: self.stop.clone(), work: 0 }
    }
}

/// What went wrong, as opposed to what is not known.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A layer answered with a model that does not satisfy the query: a bug of ours.
    #[error("the model of a query does not satisfy {term}")]
    WrongModel {
        /// The constraint or goal that is false.
        term: ExprId,
    },
    /// Two backends gave opposite answers: a bug in one of them.
    #[error("{first} says {answer} where {second} says {other}, for a query with goal {goal}")]
    Disagreement {
        /// The backend that was asked first.
        first: &'static str,
        /// Its answer.
        answer: &'static str,
        /// The backend that was asked to confirm.
        second: &'static str,
        /// Its answer.
        other: &'static str,
        /// The goal of the query.
        goal: ExprId,
    },
    /// A term that is not one bit wide or contains a shadow pair.
    #[error("{term} is no condition: it is not one bit, or has two versions")]
    NotACondition {
        /// The term.
        term: ExprId,
    },
    /// Z3 refused a call.
    #[error("z3: {message}")]
    Z3 {
        /// Its own words.
        message: String,
    },
    /// A query could not be written to the log.
    #[error("cannot log a query")]
    Log(#[from] std::io::Error),
}

impl Error {
    /// The name used in statistics and reports; all but the last two are bugs of a solver.
    pub fn name(&self) -> &'static str {
        match self {
            Error::WrongModel { .. } => "wrong-model",
            Error::Disagreement { .. } => "solvers-disagree",
            Error::NotACondition { .. } => "not-a-condition",
            Error::Z3 { .. } => "z3-refused",
            Error::Log(_) => "log-failed",
        }
    }
}

/// A layer of the chain, or all of it.
///
/// A solver remembers what it learnt by the ids of expressions, so all its queries must be about
/// one [`Expressions`] table.
pub trait Solver {
    /// Answers a query.
    fn check(&mut self, expressions: &mut Expressions, query: &Query<'_>)
    -> Result<Verdict, Error>;

    /// Adds the counters of this layer and of those below it, outermost first.
    fn report(&self, _layers: &mut Vec<LayerStatistics>) {}
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(
        &mut self,
        expressions: &mut Expressions,
        query: &Query<'_>,
    ) -> Result<Verdict, Error> {
        (**self).check(expressions, query)
    }

    fn report(&self, layers: &mut Vec<LayerStatistics>) {
        (**self).report(layers);
    }
}

/// What a layer did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LayerStatistics {
    /// The name of the layer.
    pub name: &'static str,
    /// Queries that came in.
    pub queries: u64,
    /// Queries answered with a model here, without asking the layer below.
    pub sat: u64,
    /// Queries answered as contradictory here.
    pub unsat: u64,
    /// Queries left unanswered here.
    pub unknown: u64,
    /// Time spent here, that of the layers below not counted.
    pub time: Duration,
}

impl LayerStatistics {
    /// Nothing yet, for the layer of this name.
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, ..Self::default() }
    }

    /// Counts a query that was answered here.
    pub(crate) fn record(&mut self, verdict: &Verdict, time: Duration) {
        self.queries += 1;
        self.time += time;
        match verdict {
            Verdict::Sat(_) => self.sat += 1,
            Verdict::Unsat(_) => self.unsat += 1,
            Verdict::Unknown(_) => self.unknown += 1,
        }
    }

    /// Counts a query that was passed on.
    pub(crate) fn pass(&mut self, time: Duration) {
        self.queries += 1;
        self.time += time;
    }
}

/// The core that is always right: everything.
pub(crate) fn whole_core(query: &Query<'_>) -> Core {
    sorted_core(query.terms().collect())
}

/// The core in the order that its users expect.
pub(crate) fn sorted_core(mut core: Core) -> Core {
    core.sort_unstable();
    core.dedup();
    core
}
