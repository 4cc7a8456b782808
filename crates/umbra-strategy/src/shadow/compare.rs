//! The ends of the versions, compared.

use std::collections::{BTreeMap, BTreeSet};

use umbra_engine::{Byte, EndedVersion, Environment, ErrorKind, Mode, Shared, State, Termination};
use umbra_expr::{Assignment, ExprId};
use umbra_solver::{Query, Solver, Verdict};
use umbra_words::{Class, Version};

use crate::words::class_of;
use umbra_os::Kernel;

use super::outputs::{Output, files, streams};

/// What the end of a path, or of a pair of paths, says of the versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathJudgement {
    /// They did the same on every input of the path. Of a pair: they left the same behind.
    Same,
    /// They parted on the way, and this is the new version's end; [`State::divergence`] says where. What
    /// the old one does on the same inputs is in the pairs that follow ([`State::new_end`]).
    Parted,
    /// They followed the same path, or this pair of paths, and left different things behind.
    Differs(Box<PathDifference>),
    /// They may have left different things behind: the solver gave no answer, for this reason.
    Unknown(&'static str),
    /// The path was not followed to its end.
    Cut,
    /// The input was not to be run.
    Nothing,
}

/// Different things left behind at the end of one path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathDifference {
    /// The first of them, for the input.
    pub first: Output,
    /// An input that shows it.
    pub input: Assignment,
    /// The inputs of the path that show any.
    pub condition: ExprId,
    /// What differs there, with its pairs; `None` where each version has a world of its own.
    pub value: Option<ExprId>,
    /// Which of the versions does something wrong.
    pub class: Class,
    /// Where to look, in order.
    parts: Vec<Part>,
}

/// A place where the versions may have left different things.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Part {
    output: Output,
    /// Holds for the inputs that show it.
    condition: ExprId,
    value: Option<ExprId>,
}

/// Files differ, if at all, behind what is compared of them.
const LARGE: &str = "file-over-16-mib";

/// Compares what the versions did on a path that has ended.
pub fn judge_path(
    termination: &Termination,
    state: &State,
    shared: &mut Shared,
    solver: &mut dyn Solver,
) -> PathJudgement {
    match termination {
        Termination::Excluded | Termination::Silent => return PathJudgement::Nothing,
        _ if state.divergence().is_some() && state.new_end().is_none() => {
            return PathJudgement::Parted;
        }
        Termination::Limit(_) | Termination::Unsupported { .. } | Termination::EngineBug(_) => {
            return PathJudgement::Cut;
        }
        Termination::Exited(_) | Termination::Killed(_) | Termination::Error(_) => {}
    }
    let Some((old, new)) = ends(termination, state) else { return PathJudgement::Same };
    let class = class_of(old.termination, new.termination);
    let (parts, whole) = parts(&old, &new, state, shared);
    let same = || if whole { PathJudgement::Same } else { PathJudgement::Unknown(LARGE) };
    let mut condition = shared.expressions.false_();
    for part in &parts {
        condition = shared.expressions.or(condition, part.condition);
    }
    let own = state.path.assignment();
    let input = match shared.expressions.constant_u64(condition) {
        Some(0) => return same(),
        Some(_) => own.clone(),
        None if shared.evaluation(own).is_true(condition) => own.clone(),
        None => {
            let constraints = state.path.constraints().to_vec();
            let query = Query::new(&constraints, condition).with_hint(own);
            match solver.check(&mut shared.expressions, &query) {
                Ok(Verdict::Sat(model)) => model,
                Ok(Verdict::Unsat(_)) => return same(),
                Ok(Verdict::Unknown(reason)) => return PathJudgement::Unknown(reason.name()),
                Err(error) => return PathJudgement::Unknown(error.name()),
            }
        }
    };
    let mut evaluation = shared.evaluation(&input);
    let first = parts.iter().find(|part| evaluation.is_true(part.condition));
    let (first, value) =
        first.map_or((Output::Status, None), |part| (part.output.clone(), part.value));
    PathJudgement::Differs(Box::new(PathDifference {
        first,
        input,
        condition,
        value,
        class,
        parts,
    }))
}

/// How a version has ended.
struct End<'a> {
    termination: &'a Termination,
    status: Option<ExprId>,
    world: &'a dyn Environment,
}

impl<'a> End<'a> {
    fn of(ended: &'a EndedVersion) -> Self {
        let EndedVersion { termination, exit_status, environment, .. } = ended;
        Self { termination, status: *exit_status, world: &**environment }
    }
}

/// How the versions have ended, the old one and the new one; `None` if there is one version only.
fn ends<'a>(termination: &'a Termination, state: &'a State) -> Option<(End<'a>, End<'a>)> {
    let world: &dyn Environment = &*state.environment;
    let this = |world| End { termination, status: state.exit_status(), world };
    if let Some(new) = state.new_end() {
        return Some((this(world), End::of(new)));
    }
    match state.old_end() {
        Some(old) => Some((End::of(old), this(world))),
        None if state.mode() == Mode::Both => {
            Some((this(state.old_environment().unwrap_or(world)), this(world)))
        }
        None => None,
    }
}

impl PathDifference {
    /// Replaces all expressions: those of another table mean the same.
    pub fn translate(&mut self, translation: &mut dyn FnMut(&mut ExprId)) {
        translation(&mut self.condition);
        self.value.iter_mut().for_each(&mut *translation);
        for part in &mut self.parts {
            translation(&mut part.condition);
            part.value.iter_mut().for_each(&mut *translation);
        }
    }

    /// The first difference that an input shows, if it shows any; `holds` says which conditions
    /// the input meets.
    pub fn shown_by(&self, mut holds: impl FnMut(ExprId) -> bool) -> Option<&Output> {
        self.parts.iter().find(|part| holds(part.condition)).map(|part| &part.output)
    }
}

/// Where the versions may have left different things, and on which inputs; and whether all that they
/// left was looked at.
fn parts(old: &End<'_>, new: &End<'_>, state: &State, shared: &mut Shared) -> (Vec<Part>, bool) {
    let mut parts = Vec::new();
    compare_streams(old.world, new.world, shared, &mut parts);
    let whole = compare_files(old.world, new.world, state, shared, &mut parts);
    match (old.termination, new.termination) {
        (Termination::Exited(before), Termination::Exited(after)) => {
            // One status with pairs in it, where the versions exited in one operation.
            let value = new.status.filter(|status| old.status == Some(*status));
            let mut status = |number: &i32, status: Option<ExprId>, side| match status {
                Some(value) => shared.expressions.project(value, side),
                None => shared.expressions.constant(8, *number as u64 & 0xff),
            };
            let before = status(before, old.status, Version::Old);
            let after = status(after, new.status, Version::New);
            match shared.expressions.width(before) == shared.expressions.width(after) {
                true => add(Output::Status, value, before, after, shared, &mut parts),
                // Of a function on its own: one version returns from it, the other one exits.
                false => {
                    let always = shared.expressions.true_();
                    parts.push(Part { output: Output::Status, condition: always, value: None });
                }
            }
        }
        (before, after) if is_alike(before, after) => {}
        _ => {
            let always = shared.expressions.true_();
            parts.push(Part { output: Output::Status, condition: always, value: None });
        }
    }
    (parts, whole)
}

/// Whether two versions that did not exit have ended in the same way.
fn is_alike(old: &Termination, new: &Termination) -> bool {
    match (old, new) {
        (Termination::Error(old), Termination::Error(new)) => {
            // A division that fails is one signal wherever it stands; what another error does depends on the place.
            let divides =
                |kind| matches!(kind, ErrorKind::DivisionByZero | ErrorKind::DivisionOverflow);
            let same = old.kind == new.kind && old.stack.first() == new.stack.first();
            same || divides(old.kind) && divides(new.kind)
        }
        (old, new) => old == new,
    }
}

fn compare_streams(
    old: &dyn Environment,
    new: &dyn Environment,
    shared: &mut Shared,
    parts: &mut Vec<Part>,
) {
    let new_streams = streams(Kernel::of(new));
    if old.is_same(new) {
        // Only pairs differ where there is one world.
        for (descriptor, bytes) in new_streams {
            let is_pair = |byte: &Byte| matches!(byte, Byte::Symbolic(value) if shared.expressions.contains_pair(*value));
            if bytes.iter().any(is_pair) {
                let place = |offset| Output::Stream { descriptor, offset };
                compare_bytes(&bytes, &bytes, &place, shared, parts);
            }
        }
        return;
    }
    let old_streams = streams(Kernel::of(old));
    let descriptors: BTreeSet<u32> =
        old_streams.keys().chain(new_streams.keys()).copied().collect();
    for descriptor in descriptors {
        let bytes = |streams: &BTreeMap<u32, Vec<Byte>>| {
            streams.get(&descriptor).cloned().unwrap_or_default()
        };
        let place = |offset| Output::Stream { descriptor, offset };
        compare_bytes(&bytes(&old_streams), &bytes(&new_streams), &place, shared, parts);
    }
}

/// Says whether all files were compared to their ends.
fn compare_files(
    old: &dyn Environment,
    new: &dyn Environment,
    state: &State,
    shared: &mut Shared,
    parts: &mut Vec<Part>,
) -> bool {
    let is_pair = |value| shared.expressions.contains_pair(value);
    let (old, new) = (Kernel::of(old), Kernel::of(new));
    // Most programs leave no files, and to walk the tree takes as long as a short path.
    let same = new.has_files_of(old);
    if same && !new.any_file_expression(is_pair) {
        return true;
    }
    let mut evaluation = shared.evaluation(state.path.assignment());
    let new_files = files(new, &mut |value| evaluation.value_u64(value));
    let old_files = match same {
        true => new_files.clone(),
        false => files(old, &mut |value| evaluation.value_u64(value)),
    };
    let paths: BTreeSet<_> = old_files.keys().chain(new_files.keys()).collect();
    let mut whole = true;
    for path in paths {
        let (before, after) = (old_files.get(path), new_files.get(path));
        let alike = match (before, after) {
            (Some(before), Some(after)) => {
                before.mode == after.mode
                    && before.target == after.target
                    && (before.beyond == after.beyond || before.beyond == 0 || after.beyond == 0)
            }
            _ => false,
        };
        if !alike {
            let always = shared.expressions.true_();
            let output = Output::Entry { path: path.clone() };
            parts.push(Part { output, condition: always, value: None });
            continue;
        }
        if let (Some(before), Some(after)) = (before, after) {
            let place = |offset| Output::File { path: path.clone(), offset };
            compare_bytes(&before.bytes, &after.bytes, &place, shared, parts);
            whole &= before.beyond == 0 && after.beyond == 0;
        }
    }
    whole
}

/// Adds the bytes that may differ; the first one that only one version has always does.
fn compare_bytes(
    old: &[Byte],
    new: &[Byte],
    place: &dyn Fn(usize) -> Output,
    shared: &mut Shared,
    parts: &mut Vec<Part>,
) {
    for (offset, (&before, &after)) in old.iter().zip(new).enumerate() {
        if let (Byte::Concrete(before), Byte::Concrete(after)) = (before, after)
            && before == after
        {
            continue;
        }
        let value = match after {
            Byte::Symbolic(value) if shared.expressions.contains_pair(value) => Some(value),
            _ => None,
        };
        let before = side_of(before, Version::Old, shared);
        let after = side_of(after, Version::New, shared);
        add(place(offset), value, before, after, shared, parts);
    }
    if old.len() != new.len() {
        let always = shared.expressions.true_();
        let output = place(old.len().min(new.len()));
        parts.push(Part { output, condition: always, value: None });
    }
}

fn side_of(byte: Byte, side: Version, shared: &mut Shared) -> ExprId {
    match byte {
        Byte::Concrete(value) => shared.expressions.constant(8, value.into()),
        Byte::Symbolic(value) => shared.expressions.project(value, side),
    }
}

fn add(
    output: Output,
    value: Option<ExprId>,
    before: ExprId,
    after: ExprId,
    shared: &mut Shared,
    parts: &mut Vec<Part>,
) {
    if before == after {
        return;
    }
    let differs = shared.expressions.ne(before, after);
    if shared.expressions.constant_u64(differs) != Some(0) {
        parts.push(Part { output, condition: differs, value });
    }
}
