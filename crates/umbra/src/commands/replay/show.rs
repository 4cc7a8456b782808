//! What came out of cases, for people and for machines.

use std::time::Instant;

use umbra_jobs::{CaseCluster, ChangedLines, Comparison, Predicted, Prediction, ReplayResult};
use umbra_report::{
    ClusterLine, ComparisonLine, ComparisonReport, ImpossibleLine, MemoryLine, PlaceLine,
    PredictionLine, PredictionReport,
};
use umbra_text::Show;
use umbra_words::Class;

use crate::out::{self, WriteError, say};
use crate::terminal::{self, ColourChoice};

/// Cases that cannot be run that are named.
const SHOWN: usize = 3;

/// What is to be shown.
pub struct Report<'a> {
    pub exit: u8,
    pub start: Instant,
    pub result: &'a ReplayResult,
    pub memory: &'a MemoryLine,
    /// Also what is the same, and all differences.
    pub verbose: bool,
}

/// Shows a case on one version.
pub fn prediction(prediction: &Prediction) -> Result<(), WriteError> {
    let case = prediction.case.shown();
    match &prediction.run {
        Predicted::Ended { end, unlike: None } => say!("{case}: {end}"),
        Predicted::Ended { end, unlike: Some(unlike) } => say!("{case}: {end}, {unlike}"),
        Predicted::Impossible(reason) => say!("{case}: cannot be run: {}", reason.shown()),
    }
}

impl Report<'_> {
    /// Cases on one version, which were shown as they ended.
    pub fn predictions(&self, all: &[Prediction], json: bool) -> Result<(), WriteError> {
        if !json {
            return self.memory_text();
        }
        let report = PredictionReport {
            exit: self.exit,
            wall_s: self.start.elapsed().as_secs_f64(),
            cases: self.result.cases,
            unlike_prediction: all.iter().filter(|one| one.is_unlike()).count() as u64,
            impossible: self.result.impossible(),
            memory_limit: self.memory.clone(),
            runs: all.iter().map(prediction_line).collect(),
        };
        out::json_line(&report.to_json())
    }

    /// Cases on two versions.
    pub fn comparisons(&self, all: &[Comparison], json: bool) -> Result<(), WriteError> {
        if !json {
            all.iter().try_for_each(|comparison| self.print(comparison))?;
            return self.memory_text();
        }
        let report = ComparisonReport {
            exit: self.exit,
            wall_s: self.start.elapsed().as_secs_f64(),
            cases: self.result.cases,
            memory_limit: self.memory.clone(),
            comparisons: all.iter().map(comparison_line).collect(),
        };
        out::json_line(&report.to_json())
    }

    fn print(&self, comparison: &Comparison) -> Result<(), WriteError> {
        let counts: Vec<String> = Class::ALL
            .iter()
            .filter_map(|class| {
                Some(format!("{} {}", comparison.classes.get(class)?, class.name()))
            })
            .collect();
        let (version, cases) = (comparison.version.shown(), self.result.cases);
        say!("{version}: {cases} cases: {}", counts.join(", "))?;
        if comparison.without_program > 0 {
            say!("  {} of programs that one version does not have", comparison.without_program)?;
        }
        if !comparison.impossible.is_empty() {
            say!("  {} cannot be run", comparison.impossible.len())?;
        }
        for (case, reason) in comparison.impossible.iter().take(SHOWN) {
            say!("    {}: {}", case.shown(), reason.shown())?;
        }
        if comparison.not_run > 0 {
            say!("  {} not run", comparison.not_run)?;
        }
        if let Some(ChangedLines { all, run }) = comparison.changed_lines {
            let note = match (all, run) {
                (0, _) => ": no line with code has changed in these programs",
                (_, 0) => ", so `same` says nothing about them",
                _ => "",
            };
            say!("  {run} of {all} changed lines were run{note}")?;
        }
        for (program, reason) in &comparison.without_places {
            let (program, reason) = (program.shown(), reason.shown());
            say!("  the changed lines of {program} are not known: {reason}")?;
        }
        let clusters = (1..).zip(&comparison.clusters);
        for (number, cluster) in clusters {
            print_cluster(number, cluster, self.verbose)?;
        }
        Ok(())
    }

    /// What the limit on memory covers, for people.
    fn memory_text(&self) -> Result<(), WriteError> {
        let MemoryLine { mib, counted_by, covers } = self.memory;
        say!("memory of a run: at most {mib} MiB, counted by {counted_by}: {covers}")
    }
}

/// A cluster as the finding that it is, and where its cases come from.
fn print_cluster(number: usize, cluster: &CaseCluster, verbose: bool) -> Result<(), WriteError> {
    let colour = terminal::colour(ColourChoice::Auto);
    let columns = terminal::is_watched().then(terminal::width);
    say!("")?;
    let text = cluster.finding.to_text(number, colour, columns, verbose);
    out::page(format_args!("{text}"), colour)?;
    let place = place_text(cluster);
    let (class, program) = (cluster.class.name(), cluster.program.shown());
    let cases = cases_text(cluster.cases.len() as u64);
    say!("   {class} in {program}{}, {cases}", place.shown())?;
    match cluster.line.as_ref().filter(|line| line.same > 0) {
        Some(line) => {
            let (differing, same) = (line.differing, line.same);
            say!("   cases that run the line: {differing} differ, {same} behave the same")
        }
        None => Ok(()),
    }
}

fn cases_text(count: u64) -> String {
    if count == 1 { "1 case".to_owned() } else { format!("{count} cases") }
}

/// Where the cases of a cluster differ, as part of a sentence.
fn place_text(cluster: &CaseCluster) -> String {
    match (&cluster.error, &cluster.line, cluster.changed_line_ran) {
        (Some(place), _, _) => format!(" at {place}"),
        (None, Some(line), _) => format!(" at {line}"),
        (None, None, Some(false)) => " without running a changed line".to_owned(),
        (None, None, _) => String::new(),
    }
}

fn prediction_line(prediction: &Prediction) -> PredictionLine {
    let case = prediction.case.clone();
    match &prediction.run {
        Predicted::Ended { end, unlike } => PredictionLine {
            case,
            end: Some(end.to_string()),
            as_predicted: Some(unlike.is_none()),
            impossible: None,
        },
        Predicted::Impossible(reason) => {
            PredictionLine { case, impossible: Some(reason.clone()), ..PredictionLine::default() }
        }
    }
}

fn comparison_line(comparison: &Comparison) -> ComparisonLine {
    let impossible = comparison.impossible.iter();
    let impossible = impossible
        .map(|(case, reason)| ImpossibleLine { case: case.clone(), reason: reason.clone() });
    ComparisonLine {
        version: comparison.version.clone(),
        classes: comparison.classes.clone(),
        without_program: comparison.without_program,
        impossible: impossible.collect(),
        not_run: comparison.not_run,
        changed_lines: comparison.changed_lines.map(|lines| lines.all),
        changed_lines_run: comparison.changed_lines.map(|lines| lines.run),
        without_places: comparison.without_places.clone(),
        clusters: comparison.clusters.iter().map(cluster_line).collect(),
    }
}

fn cluster_line(cluster: &CaseCluster) -> ClusterLine {
    let line = cluster.line.as_ref();
    let place = || {
        let place = &line?.target.place;
        Some(format!("{}:{}", place.file, place.line))
    };
    ClusterLine {
        class: cluster.class,
        program: cluster.program.clone(),
        place: cluster.error.clone().or_else(place),
        changed_line_ran: cluster.changed_line_ran,
        line: PlaceLine {
            function: line.map(|line| line.target.function.clone()),
            version: line.map(|line| line.target.version),
            differing: line.map(|line| line.differing),
            same: line.map(|line| line.same),
        },
        stack: cluster.stack.clone(),
        cases: cluster.cases.clone(),
        example: cluster.example.clone(),
        differences: cluster.differences.clone(),
    }
}
