//! The object of `umbra run --json`; docs/json.md has its keys, which are added, never renamed.
//!
//! The types here are those of the object, so that others are free to change.

use std::collections::BTreeMap;

use serde::Serialize;
use umbra_words::Finding;

use crate::{RunSummary, SolverLayer, Undefined};

#[derive(Serialize)]
struct RunObject<'a> {
    schema: &'static str,
    command: &'static str,
    exit: u8,
    complete: bool,
    wall_s: f64,
    execute_s: f64,
    cpu_s: f64,
    workers: u64,
    worker_instructions: &'a [u64],
    phases: Vec<PhaseObject<'a>>,
    peak_mib: f64,
    instructions: u64,
    paths: PathsObject,
    states: StatesObject,
    forks: u64,
    terminations: BTreeMap<&'a str, u64>,
    limits_hit: &'a [String],
    queries: u64,
    solver_s: f64,
    unknown: &'a BTreeMap<String, u64>,
    solver_errors: &'a BTreeMap<String, u64>,
    solver_layers: Vec<LayerObject<'a>>,
    coverage: CoverageObject,
    errors: Vec<ErrorObject<'a>>,
    unsupported: &'a [String],
    undefined: Vec<UndefinedObject<'a>>,
    tests: u64,
    tests_left_out: u64,
    tests_alike: u64,
}

#[derive(Serialize)]
struct PhaseObject<'a> {
    name: &'a str,
    seconds: f64,
}

#[derive(Serialize)]
struct PathsObject {
    completed: u64,
    error: u64,
    cut: u64,
}

#[derive(Serialize)]
struct StatesObject {
    created: u64,
    open: u64,
    untested: u64,
}

#[derive(Serialize)]
struct LayerObject<'a> {
    name: &'a str,
    queries: u64,
    sat: u64,
    unsat: u64,
    unknown: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct CoverageObject {
    lines: u64,
    covered: u64,
    program_lines: u64,
    program_covered: u64,
}

#[derive(Serialize)]
struct ErrorObject<'a> {
    kind: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
    case: Option<&'a str>,
    count: u64,
}

impl<'a> ErrorObject<'a> {
    fn of((finding, count): (&'a Finding, u64)) -> Self {
        let place = &finding.place;
        Self {
            kind: &finding.kind,
            file: (!place.file.is_empty()).then_some(&place.file),
            line: (place.line != 0).then_some(place.line),
            case: finding.case.as_deref(),
            count,
        }
    }
}

/// What has no meaning in C, as the objects of `--json`.
#[derive(Serialize)]
pub struct UndefinedObject<'a> {
    kind: &'a str,
    file: Option<&'a str>,
    line: Option<u32>,
}

/// The objects of what has no meaning in C.
pub fn undefined_objects(undefined: &[Undefined]) -> Vec<UndefinedObject<'_>> {
    let objects = undefined.iter().map(|Undefined { kind, place }| UndefinedObject {
        kind,
        file: (!place.file.is_empty()).then_some(&place.file),
        line: (place.line != 0).then_some(place.line),
    });
    objects.collect()
}

impl<'a> LayerObject<'a> {
    fn of(layer: &'a SolverLayer) -> Self {
        let SolverLayer { name, queries, sat, unsat, unknown, seconds } = layer;
        Self {
            name,
            queries: *queries,
            sat: *sat,
            unsat: *unsat,
            unknown: *unknown,
            seconds: *seconds,
        }
    }
}

impl RunSummary {
    /// The summary as one line of JSON, without a newline.
    pub fn to_json(&self) -> String {
        let (usage, search, solver) = (&self.usage, &self.search, &self.solver);
        let phases = usage.phases.iter();
        let paths = search.paths();
        let mut terminations = BTreeMap::new();
        for ((_, name), count) in &search.terminations {
            *terminations.entry(&**name).or_default() += count;
        }
        let object = RunObject {
            schema: "umbra/1",
            command: "run",
            exit: self.exit,
            complete: self.is_complete(),
            wall_s: usage.wall_s,
            execute_s: usage.execute_s,
            cpu_s: usage.cpu_s,
            workers: usage.workers.max(1),
            worker_instructions: &usage.worker_instructions,
            phases: phases
                .map(|phase| PhaseObject { name: &phase.name, seconds: phase.seconds })
                .collect(),
            peak_mib: usage.peak_mib,
            instructions: usage.instructions,
            paths: PathsObject { completed: paths.completed, error: paths.error, cut: paths.cut },
            states: StatesObject {
                created: search.states_created,
                open: search.states_open,
                untested: search.states_untested,
            },
            forks: search.forks,
            terminations,
            limits_hit: &search.limits_hit,
            queries: solver.queries,
            solver_s: solver.seconds,
            unknown: &solver.unknown,
            solver_errors: &solver.failures,
            solver_layers: solver.layers.iter().map(LayerObject::of).collect(),
            coverage: CoverageObject {
                lines: self.lines.lines,
                covered: self.lines.covered,
                program_lines: self.program_lines.lines,
                program_covered: self.program_lines.covered,
            },
            errors: self.findings.iter().map(ErrorObject::of).collect(),
            unsupported: &self.unsupported,
            undefined: undefined_objects(&self.undefined),
            tests: self.tests,
            tests_left_out: self.tests_left_out,
            tests_alike: self.tests_alike,
        };
        // Plain numbers, strings and lists, with strings for keys: this cannot fail. Numbers that
        // JSON does not have (NaN) become null.
        serde_json::to_string(&object).expect("plain data is JSON")
    }
}
