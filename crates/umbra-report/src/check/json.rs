//! The object of `umbra check --json`; docs/json.md has its keys, which are added, never renamed.

use std::collections::BTreeMap;

use serde::Serialize;
use umbra_words::{Class, Kind, Phase, Place, Version};

use crate::object::line;
use crate::{
    Behaviour, ChangedLines, CheckFinding, CheckReport, CheckedProgram, DifferenceLine, EffectLine,
    Event, Excerpt, HunkLine, HunkReport, InputPart, LineSort, RevisionLine, StageEnd, StageLine,
    Stream,
};

#[derive(Serialize)]
struct CheckObject<'a> {
    complete: bool,
    folder: &'a str,
    page: Option<&'a str>,
    old: RevisionObject<'a>,
    new: RevisionObject<'a>,
    stages: Vec<StageObject<'a>>,
    notes: &'a [String],
    hunks: Vec<HunkObject<'a>>,
    coverage: CoverageObject,
    programs: Vec<ProgramObject<'a>>,
    findings: Vec<FindingObject<'a>>,
    gone: &'a [String],
    effects: Vec<EffectObject<'a>>,
    events: Vec<EventObject<'a>>,
    wall_s: f64,
    cpu_s: f64,
    instructions: u64,
    peak_mib: f64,
}

#[derive(Serialize)]
struct RevisionObject<'a> {
    name: &'a str,
    commit: Option<&'a str>,
    subject: Option<&'a str>,
}

#[derive(Serialize)]
struct StageObject<'a> {
    stage: &'static str,
    end: StageEnd,
    found: &'a str,
    seconds: f64,
}

#[derive(Serialize)]
struct HunkObject<'a> {
    file: &'a str,
    function: Option<&'a str>,
    answer: &'static str,
    because: &'a str,
    findings: Vec<&'a str>,
    lines: Vec<HunkLineObject<'a>>,
}

#[derive(Serialize)]
struct HunkLineObject<'a> {
    sort: LineSort,
    old_line: Option<u32>,
    new_line: Option<u32>,
    text: &'a str,
    tests: Option<u64>,
    reached: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    input: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    why: Option<&'a str>,
}

#[derive(Serialize)]
struct CoverageObject {
    lines: u64,
    by_tests: u64,
    reached: u64,
    not_run: u64,
}

#[derive(Serialize)]
struct ProgramObject<'a> {
    path: &'a str,
    outcome: &'a str,
    complete: bool,
    tests: u64,
    touching: u64,
    same: u64,
    diff: u64,
    cut: u64,
    instructions: u64,
    left_out: BTreeMap<&'a str, u64>,
}

#[derive(Serialize)]
struct PlaceObject<'a> {
    file: &'a str,
    line: u32,
}

#[derive(Serialize)]
struct FindingObject<'a> {
    id: &'a str,
    class: Class,
    verdict: &'a str,
    program: &'a str,
    confirmed: bool,
    accepted: bool,
    by_suite: bool,
    place: Option<PlaceObject<'a>>,
    version: Version,
    changes: Vec<PlaceObject<'a>>,
    excerpt: Option<ExcerptObject<'a>>,
    path: &'a [String],
    stack: &'a [String],
    kind: Option<Kind>,
    phase: Option<Phase>,
    shell: Option<&'a str>,
    command: &'a str,
    case: &'a str,
    input: Vec<InputObject<'a>>,
    seed: Option<&'a str>,
    old: BehaviourObject<'a>,
    new: BehaviourObject<'a>,
    also: Vec<AlsoObject<'a>>,
    judged: Option<&'static str>,
    differences: &'a [DifferenceLine],
    cases: u64,
    input_bytes: u64,
    seconds: f64,
}

#[derive(Serialize)]
struct ExcerptObject<'a> {
    file: &'a str,
    version: Version,
    first: u32,
    lines: &'a [String],
    marked: u32,
    columns: Option<(u32, u32)>,
}

#[derive(Serialize)]
struct InputObject<'a> {
    name: &'a str,
    pieces: Vec<PieceObject<'a>>,
    cut: bool,
}

#[derive(Serialize)]
struct PieceObject<'a> {
    text: &'a str,
    changed: bool,
}

#[derive(Serialize)]
struct BehaviourObject<'a> {
    end: &'a str,
    status: Option<u8>,
    stdout: StreamObject<'a>,
    stderr: StreamObject<'a>,
    error: Option<&'a str>,
}

#[derive(Serialize)]
struct StreamObject<'a> {
    text: &'a str,
    bytes: u64,
    cut: bool,
}

#[derive(Serialize)]
struct AlsoObject<'a> {
    name: &'a str,
    #[serde(flatten)]
    behaviour: BehaviourObject<'a>,
}

#[derive(Serialize)]
struct EffectObject<'a> {
    what: &'a str,
    unit: &'a str,
    old: f64,
    new: f64,
    worst: Option<&'a str>,
    worst_values: Option<(f64, f64)>,
}

#[derive(Serialize)]
struct EventObject<'a> {
    seconds: f64,
    stage: &'static str,
    text: &'a str,
    finding: Option<&'a str>,
    lines_run: u64,
    lines: u64,
}

impl CheckReport {
    /// The report as one line of JSON, without a newline. What a terminal would do something for is escaped.
    pub fn to_json(&self) -> String {
        let files = self.patch.iter();
        let hunks = files.flat_map(|file| file.hunks.iter().map(move |hunk| (&*file.path, hunk)));
        let ChangedLines { lines, by_tests, reached, not_run } = self.changed_lines();
        let object = CheckObject {
            complete: self.is_complete(),
            folder: &self.folder,
            page: self.page.as_deref(),
            old: revision(&self.old),
            new: revision(&self.new),
            stages: self.stages.iter().map(stage).collect(),
            notes: &self.notes,
            hunks: hunks.map(|(file, hunk)| self.hunk_object(file, hunk)).collect(),
            coverage: CoverageObject { lines, by_tests, reached, not_run },
            programs: self.programs.iter().map(program).collect(),
            findings: self.findings.iter().map(finding).collect(),
            gone: &self.gone,
            effects: self.effects.iter().map(effect).collect(),
            events: self.events.iter().map(|event| self.event_object(event)).collect(),
            wall_s: self.wall_s,
            cpu_s: self.cpu_s,
            instructions: self.instructions,
            peak_mib: self.peak_mib,
        };
        umbra_text::json(&line("check", self.exit, &object))
    }

    /// The identity of the finding with this number.
    fn identity(&self, number: usize) -> Option<&str> {
        let finding = self.findings.get(number.checked_sub(1)?)?;
        Some(&finding.id)
    }

    fn hunk_object<'a>(&'a self, file: &'a str, hunk: &'a HunkReport) -> HunkObject<'a> {
        let line = |line: &'a HunkLine| HunkLineObject {
            sort: line.sort,
            old_line: line.old,
            new_line: line.new,
            text: &line.text,
            tests: line.tests,
            reached: line.reached,
            input: line.input.as_deref(),
            why: line.why.as_deref(),
        };
        HunkObject {
            file,
            function: hunk.function.as_deref(),
            answer: hunk.answer.name(),
            because: &hunk.because,
            findings: hunk.findings.iter().filter_map(|number| self.identity(*number)).collect(),
            lines: hunk.lines.iter().map(line).collect(),
        }
    }

    fn event_object<'a>(&'a self, event: &'a Event) -> EventObject<'a> {
        EventObject {
            seconds: event.seconds,
            stage: event.stage.name(),
            text: &event.text,
            finding: event.finding.and_then(|number| self.identity(number)),
            lines_run: event.lines_run,
            lines: event.lines,
        }
    }
}

fn revision(line: &RevisionLine) -> RevisionObject<'_> {
    let RevisionLine { name, commit, subject } = line;
    RevisionObject { name, commit: commit.as_deref(), subject: subject.as_deref() }
}

fn stage(line: &StageLine) -> StageObject<'_> {
    let StageLine { stage, end, found, seconds } = line;
    StageObject { stage: stage.name(), end: *end, found, seconds: *seconds }
}

fn program(program: &CheckedProgram) -> ProgramObject<'_> {
    ProgramObject {
        path: &program.path,
        outcome: &program.outcome,
        complete: program.complete,
        tests: program.tests,
        touching: program.touching,
        same: program.same,
        diff: program.diff,
        cut: program.cut,
        instructions: program.instructions,
        left_out: program.left_out.iter().map(|(what, count)| (&**what, *count)).collect(),
    }
}

fn place(place: &Place) -> PlaceObject<'_> {
    PlaceObject { file: &place.file, line: place.line }
}

fn finding(f: &CheckFinding) -> FindingObject<'_> {
    let also = f
        .also
        .iter()
        .map(|(name, behaviour)| AlsoObject { name, behaviour: self::behaviour(behaviour) });
    FindingObject {
        id: &f.id,
        class: f.class,
        verdict: &f.verdict,
        program: &f.program,
        confirmed: f.confirmed,
        accepted: f.accepted,
        by_suite: f.by_suite,
        place: f.place.as_ref().map(place),
        version: f.version,
        changes: f.changes.iter().map(place).collect(),
        excerpt: f.excerpt.as_ref().map(excerpt),
        path: &f.path,
        stack: &f.stack,
        kind: f.kind,
        phase: f.phase,
        shell: f.shell.as_deref(),
        command: &f.command,
        case: &f.case,
        input: f.input.iter().map(input).collect(),
        seed: f.seed.as_deref(),
        old: behaviour(&f.old),
        new: behaviour(&f.new),
        also: also.collect(),
        judged: f.judged.map(crate::LaterOn::name),
        differences: &f.differences,
        cases: f.cases,
        input_bytes: f.input_bytes,
        seconds: f.seconds,
    }
}

fn excerpt(excerpt: &Excerpt) -> ExcerptObject<'_> {
    let Excerpt { file, version, first, lines, marked, columns } = excerpt;
    let (version, first, marked, columns) = (*version, *first, *marked, *columns);
    ExcerptObject { file, version, first, lines, marked, columns }
}

fn input(part: &InputPart) -> InputObject<'_> {
    let pieces = part.pieces.iter();
    let pieces = pieces.map(|piece| PieceObject { text: &piece.text, changed: piece.changed });
    InputObject { name: &part.name, pieces: pieces.collect(), cut: part.cut }
}

fn behaviour(behaviour: &Behaviour) -> BehaviourObject<'_> {
    BehaviourObject {
        end: &behaviour.end,
        status: behaviour.status,
        stdout: stream(&behaviour.stdout),
        stderr: stream(&behaviour.stderr),
        error: behaviour.error.as_deref(),
    }
}

fn stream(stream: &Stream) -> StreamObject<'_> {
    StreamObject { text: &stream.text, bytes: stream.bytes, cut: stream.cut }
}

fn effect(effect: &EffectLine) -> EffectObject<'_> {
    EffectObject {
        what: &effect.what,
        unit: &effect.unit,
        old: effect.old,
        new: effect.new,
        worst: effect.worst.as_deref(),
        worst_values: effect.worst_values,
    }
}
