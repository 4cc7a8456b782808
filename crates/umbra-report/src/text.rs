//! The summary of a run, for people, on one screen.
//!
//! First what was found, then how far the run came, then what it did not do and why, then what to do
//! next. A line is left out where there is nothing to say.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use umbra_text::Show;

use crate::numbers::{count, counted, duration, percent, rough_percent, share, short, times};
use crate::{LineCounts, PathEnd, RunSummary, Sample, Undefined};

/// Errors that are listed; the rest is counted.
const ERRORS: usize = 10;

/// Names that are listed on one line; the rest is counted.
const NAMES: usize = 6;

/// Columns of a bar, and of a line that shows a course over time.
const BAR: usize = 20;

/// Where the values of a table begin.
const INDENT: usize = 15;

/// Whether text is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Colour {
    /// No colours, and only ASCII.
    #[default]
    Plain,
    /// Colours by ANSI escapes, and block characters.
    Ansi,
}

/// The summary of a run as a text; its `Display` is the text, which ends in a newline.
#[derive(Clone, Copy, Debug)]
pub struct SummaryText<'a> {
    /// The run.
    pub summary: &'a RunSummary,
    /// Where its results are, if they were written.
    pub folder: Option<&'a Path>,
    /// Samples over time, in order; may be empty.
    pub history: &'a [Sample],
    /// Whether the text is coloured.
    pub colour: Colour,
}

impl fmt::Display for SummaryText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.failures(f)?;
        self.headline(f)?;
        self.errors(f)?;
        writeln!(f)?;
        self.search(f)?;
        self.coverage(f)?;
        self.cost(f)?;
        self.gaps(f)?;
        self.undefined(f)?;
        self.next(f)
    }
}

impl SummaryText<'_> {
    fn headline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let paths = summary.search.paths().total();
        if paths == 0 && summary.findings.is_empty() {
            let what = match summary.search.states_open {
                0 => "Nothing was explored",
                _ => "No path ended",
            };
            return writeln!(f, "{}.", self.yellow(what));
        }
        let paths = counted(paths, "path");
        let found = match summary.findings.len() {
            0 => self.green(&format!("No errors found in {paths}")),
            errors => self.red(&format!("{} found in {paths}", counted(errors as u64, "error"))),
        };
        match summary.is_complete() {
            true => writeln!(f, "{found}; every path was followed to its end."),
            false => writeln!(f, "{found}; {}.", self.yellow("not everything was explored")),
        }
    }

    /// A bug of ours comes first: it puts all else in doubt.
    fn failures(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let solver = &self.summary.solver;
        if !solver.has_failed() {
            return Ok(());
        }
        let how = by_count(named(&solver.failures));
        let text = format!("The solver failed ({how}). This is a bug in Umbra.");
        writeln!(f, "{}", self.red(&text))?;
        writeln!(f, "You can replay the errors that were found, but paths may be missing.\n")
    }

    fn errors(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let findings = &self.summary.findings;
        if findings.is_empty() {
            return Ok(());
        }
        writeln!(f)?;
        let rows: Vec<[String; 4]> = findings
            .iter()
            .take(ERRORS)
            .map(|(finding, count)| {
                let case = finding.case.clone().unwrap_or_else(|| "no test case".to_owned());
                [finding.kind.shown().to_string(), finding.place.to_string(), times(count), case]
            })
            .collect();
        let width = |column: usize| rows.iter().map(|row| columns(&row[column])).max().unwrap_or(0);
        let widths = [width(0), width(1), width(2)];
        for [kind, place, count, case] in &rows {
            let kind = self.red(&pad(kind, widths[0]));
            let (place, count) = (pad(place, widths[1]), pad(count, widths[2]));
            writeln!(f, "  {kind}  {place}  {count}  {case}")?;
        }
        match findings.len().saturating_sub(ERRORS) {
            0 => Ok(()),
            more => writeln!(f, "  and {} more", count(more as u64)),
        }
    }

    fn search(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let search = &self.summary.search;
        let paths = search.paths();
        let (completed, error, cut) =
            (count(paths.completed), count(paths.error), count(paths.cut));
        row(f, "paths", &format!("{completed} completed, {error} with an error, {cut} cut"))?;
        if search.ended(PathEnd::Completed).count() > 1 {
            row(f, "  completed", &by_count(search.ended(PathEnd::Completed)))?;
        }
        let (made, open) = (count(search.states_created), count(search.states_open));
        let forks = counted(search.forks, "fork");
        row(f, "states", &format!("{made} made by {forks}, {open} open at the end"))
    }

    fn coverage(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        if summary.program_lines.lines > 0 {
            row(f, "program lines", &self.lines(summary.program_lines))?;
        }
        row(f, "all lines", &self.lines(summary.lines))?;
        match self.course() {
            Some(course) => row(f, "  over time", &course),
            None => Ok(()),
        }
    }

    fn lines(&self, LineCounts { lines, covered }: LineCounts) -> String {
        let share = share(covered as f64, lines as f64);
        // Down, as for the percentage: a full bar is full coverage.
        let filled = (share * BAR as f64) as usize;
        let bar = match self.colour {
            Colour::Plain => format!("{}{}", "#".repeat(filled), ".".repeat(BAR - filled)),
            Colour::Ansi => {
                format!("{}{}", self.green(&"█".repeat(filled)), "░".repeat(BAR - filled))
            }
        };
        format!("[{bar}] {}, {} of {}", percent(share), count(covered), count(lines))
    }

    /// Covered lines over the time of the run, from nothing to the most.
    fn course(&self) -> Option<String> {
        let last = self.history.last()?;
        let most = self.history.iter().map(|sample| sample.covered_lines).max()?;
        if self.history.len() < 2 || most == 0 || last.seconds <= 0.0 {
            return None;
        }
        let glyphs: &[char] = match self.colour {
            Colour::Plain => &['_', '.', '-', '=', '#'],
            Colour::Ansi => &['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'],
        };
        let at = |column: usize| {
            let time = last.seconds * (column + 1) as f64 / BAR as f64;
            let known = self.history.iter().take_while(|sample| sample.seconds <= time);
            let covered = known.last().map_or(0, |sample| sample.covered_lines);
            glyphs
                [(share(covered as f64, most as f64) * (glyphs.len() - 1) as f64).round() as usize]
        };
        let line: String = (0..BAR).map(at).collect();
        Some(format!("[{line}] {} lines in {}", count(most), duration(last.seconds)))
    }

    fn cost(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (usage, solver) = (&self.summary.usage, &self.summary.solver);
        let memory = count(usage.peak_mib.round() as u64);
        row(f, "instructions", &short(usage.instructions as f64))?;
        row(f, "time", &format!("{}, {memory} MiB peak", duration(usage.wall_s)))?;
        if !usage.phases.is_empty() {
            let phases = usage.phases.iter();
            let phases = phases.map(|phase| format!("{} {}", phase.name, duration(phase.seconds)));
            row(f, "  of it", &phases.collect::<Vec<_>>().join(", "))?;
        }
        // Each worker has a solver of its own.
        let time = usage.wall_s * usage.workers.max(1) as f64;
        let part = rough_percent(share(solver.seconds, time));
        let queries = counted(solver.queries, "query");
        let took = duration(solver.seconds);
        row(f, "solver", &format!("{queries} in {took}, {part} of the time"))?;
        for layer in &solver.layers {
            let answered = layer.sat + layer.unsat + layer.unknown;
            let (answered, queries) = (count(answered), count(layer.queries));
            let took = duration(layer.seconds);
            row(
                f,
                &format!("  {}", layer.name),
                &format!("answered {answered} of {queries} in {took}"),
            )?;
        }
        Ok(())
    }

    /// What was not done, and why.
    fn gaps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let summary = self.summary;
        let mut gaps = Vec::new();
        let cut = summary.search.paths().cut;
        if cut > 0 {
            let reasons = by_count(summary.search.ended(PathEnd::Cut));
            gaps.push(format!("{} cut before the end: {reasons}", counted(cut, "path")));
        }
        if summary.search.states_open > 0 {
            let open = counted(summary.search.states_open, "state");
            let untested = match summary.search.states_untested {
                0 => String::new(),
                untested => format!(", {} of them without a test", count(untested)),
            };
            gaps.push(format!("{open} still open{untested}"));
        }
        if !summary.search.limits_hit.is_empty() {
            gaps.push(format!("limits hit: {}", some(&summary.search.limits_hit)));
        }
        let unknown: u64 = summary.solver.unknown.values().sum();
        if unknown > 0 {
            let reasons = by_count(named(&summary.solver.unknown));
            gaps.push(format!("{} without an answer: {reasons}", counted(unknown, "query")));
        }
        if !summary.unsupported.is_empty() {
            gaps.push(format!("not modelled: {}", some(&summary.unsupported)));
        }
        if summary.tests_left_out > 0 {
            let paths = counted(summary.tests_left_out, "path");
            gaps.push(format!(
                "{paths} without a test case of their own: there were too many (--max-tests)"
            ));
        }
        if summary.tests_alike > 0 {
            let paths = counted(summary.tests_alike, "path");
            gaps.push(format!(
                "{paths} without a test case of their own: like another, up to the end of an argument"
            ));
        }
        if gaps.is_empty() {
            return Ok(());
        }
        writeln!(f, "\n{}", self.yellow("What is missing:"))?;
        gaps.iter().try_for_each(|gap| writeln!(f, "  {gap}"))
    }

    /// What the program did that another machine may do in another way.
    fn undefined(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let undefined = &self.summary.undefined;
        if undefined.is_empty() {
            return Ok(());
        }
        writeln!(
            f,
            "\n{}",
            self.yellow("Undefined in C: the result depends on where objects are in memory:")
        )?;
        for Undefined { kind, place } in undefined.iter().take(ERRORS) {
            writeln!(f, "  {}  {place}", kind.shown())?;
        }
        match undefined.len().saturating_sub(ERRORS) {
            0 => Ok(()),
            more => writeln!(f, "  and {} more", count(more as u64)),
        }
    }

    fn next(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(folder) = self.folder else { return Ok(()) };
        let findings = &self.summary.findings;
        let tests = match self.summary.tests {
            0 => String::new(),
            tests => format!(", {} in cases/", counted(tests, "test")),
        };
        writeln!(f, "\nResults are in {}{tests}", folder.shown())?;
        let (case, what) = match findings.iter().find_map(|(finding, _)| finding.case.as_ref()) {
            Some(case) => (case.as_str(), "To see an error"),
            None if self.summary.tests > 0 => ("cases/000001", "To run a test"),
            None => return Ok(()),
        };
        writeln!(f, "{what}: {} PROGRAM", folder.join(case).join("run.sh").shown())
    }

    fn red(&self, text: &str) -> String {
        self.paint(text, "31")
    }

    fn green(&self, text: &str) -> String {
        self.paint(text, "32")
    }

    fn yellow(&self, text: &str) -> String {
        self.paint(text, "33")
    }

    fn paint(&self, text: &str, code: &str) -> String {
        match self.colour {
            Colour::Plain => text.to_owned(),
            Colour::Ansi => format!("\x1b[{code}m{text}\x1b[0m"),
        }
    }
}

fn row(f: &mut fmt::Formatter<'_>, name: &str, value: &str) -> fmt::Result {
    // A name that is too long still has a space after it.
    writeln!(f, "{} {value}", pad(name, INDENT - 1))
}

/// Columns that a text takes, as far as its characters are of one column each.
fn columns(text: &str) -> usize {
    text.chars().count()
}

/// Pads by characters; colours must come after it.
fn pad(text: &str, width: usize) -> String {
    format!("{text:width$}")
}

fn named(counts: &BTreeMap<String, u64>) -> impl Iterator<Item = (&str, u64)> {
    counts.iter().map(|(name, count)| (&**name, *count))
}

/// "memory 15, unsupported 6": the most frequent first, then by name.
fn by_count<'a>(counts: impl Iterator<Item = (&'a str, u64)>) -> String {
    let mut entries: Vec<(&str, u64)> = counts.filter(|(_, count)| *count > 0).collect();
    entries.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let entries =
        entries.iter().map(|(name, number)| format!("{} {}", name.shown(), count(*number)));
    some(&entries.collect::<Vec<_>>())
}

/// The first few of a list, and how many more there are.
fn some(names: &[String]) -> String {
    let names_shown = names.iter().take(NAMES).map(|name| name.shown().to_string());
    let shown = names_shown.collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => shown,
        more => format!("{shown} and {} more", count(more as u64)),
    }
}
