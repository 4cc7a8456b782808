//! The report for a terminal: the three answers, what was found, and why nothing was found elsewhere.
//!
//! Everything that comes from outside is shown as one line without control characters. Without a width, as in a file, it
//! has [`USUAL`] columns.

mod finding;
pub(super) mod paint;

use std::fmt::{Result, Write};

use umbra_text::Show;
use umbra_words::Class;

use super::wording::{self, answer_label, is_gap};
use crate::numbers::{count, counted, duration};
use crate::{CheckFinding, CheckReport, Colour, HunkAnswer, HunkReport, LineSort, PatchFile};
use paint::{Paint, fitted};

/// Columns of what is no terminal.
const USUAL: usize = 100;

/// The least and the most columns that are made use of.
const LEAST: usize = 40;
const MOST: usize = 160;

/// Columns of a bar.
const BAR: usize = 20;

/// Where the answers begin.
const INDENT: usize = 10;

impl CheckReport {
    /// The report for a terminal of so many columns. `verbose`: also stacks, paths, seeds, and what was accepted.
    pub fn to_text(&self, colour: Colour, columns: Option<usize>, verbose: bool) -> String {
        let columns = columns.unwrap_or(USUAL).clamp(LEAST, MOST);
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = Page { report: self, paint: Paint { colour }, columns, verbose }.write(&mut out);
        out
    }
}

impl CheckFinding {
    /// The finding under this number, for a terminal of so many columns: what every command prints. `verbose`: also its
    /// stack, path and seed.
    pub fn to_text(
        &self,
        number: usize,
        colour: Colour,
        columns: Option<usize>,
        verbose: bool,
    ) -> String {
        let columns = columns.unwrap_or(USUAL).clamp(LEAST, MOST);
        let report = CheckReport::default();
        let page = Page { report: &report, paint: Paint { colour }, columns, verbose };
        let mut out = String::new();
        // Writing to a string cannot fail.
        let _ = page.finding(&mut out, number, self);
        out
    }
}

/// A report on its way to a terminal.
struct Page<'a> {
    report: &'a CheckReport,
    paint: Paint,
    columns: usize,
    verbose: bool,
}

impl Page<'_> {
    fn write(&self, out: &mut String) -> Result {
        self.head(out)?;
        self.answers(out)?;
        self.findings(out)?;
        self.hunks(out)?;
        self.notes(out)?;
        self.effects(out)?;
        self.gaps(out)?;
        if self.verbose {
            self.stages(out)?;
        }
        self.end(out)
    }

    fn head(&self, out: &mut String) -> Result {
        let report = self.report;
        let paint = &self.paint;
        let code = match report.findings.iter().find(|finding| finding.is_shown()) {
            Some(finding) if report.has_open() => paint::class_code(finding.class),
            _ if report.is_complete() && !report.stages.is_empty() => "32",
            _ => "33",
        };
        let headline = paint.bold(code, &report.headline());
        let rest = match report.is_complete() || report.stages.is_empty() {
            true => String::new(),
            false => format!("; {}", paint.in_code("33", "the check is not complete")),
        };
        writeln!(out, "{headline}{rest}")?;
        let (old, new) = (report.old.title(), report.new.title());
        if report.old.name.is_empty() && report.new.name.is_empty() {
            return Ok(());
        }
        let subject = match &report.new.subject {
            Some(subject) => format!("  {}", subject.shown()),
            None => String::new(),
        };
        let arrow = paint.arrow();
        writeln!(out, "{old} {arrow} {new}{}", paint.dim(&subject))
    }

    /// What the patch changes, whether that is tested, whether it breaks anything.
    fn answers(&self, out: &mut String) -> Result {
        let report = self.report;
        writeln!(out)?;
        self.row(out, "changes", &report.changes())?;
        let programs: Vec<String> =
            report.programs.iter().map(|program| program.path.shown().to_string()).collect();
        if !programs.is_empty() {
            self.row(out, "", &format!("in {}", paint::some(&programs)))?;
        }
        let lines = report.changed_lines();
        let bar = match lines.lines {
            0 => String::new(),
            all => self.bar(&[("32", lines.by_tests), ("33", lines.reached)], all) + " ",
        };
        self.row(out, "tested", &format!("{bar}{}", report.tested()))?;
        self.row(out, "breaks", &report.breaks())
    }

    /// A line of the answers, which goes on below if it is long.
    fn row(&self, out: &mut String, name: &str, value: &str) -> Result {
        let name = self.paint.bold("", &format!("{name:INDENT$}"));
        let space = " ".repeat(INDENT);
        for (index, line) in paint::wrapped(value, self.columns - INDENT).iter().enumerate() {
            writeln!(out, "{}{line}", if index == 0 { &name } else { &space })?;
        }
        Ok(())
    }

    /// A bar with a part for each number; what is left of `all` is empty.
    fn bar(&self, parts: &[(&str, u64)], all: u64) -> String {
        let mut bar = String::new();
        let mut done = 0;
        let mut before = 0;
        for ((code, number), plain) in parts.iter().zip(["#", "+"]) {
            before += number;
            let end = (before as f64 / all.max(1) as f64 * BAR as f64) as usize;
            let part = self.paint.block(plain).repeat(end.saturating_sub(done));
            bar += &self.paint.in_code(code, &part);
            done = done.max(end);
        }
        let rest = match self.paint.colour {
            Colour::Plain => ".",
            Colour::Ansi => "░",
        };
        format!("[{bar}{}]", rest.repeat(BAR.saturating_sub(done)))
    }

    fn findings(&self, out: &mut String) -> Result {
        for (number, finding) in self.report.numbered() {
            if finding.is_shown() || self.verbose {
                writeln!(out)?;
                self.finding(out, number, finding)?;
            }
        }
        if self.verbose {
            return Ok(());
        }
        let silent = self.report.findings.iter().filter(|finding| !finding.accepted);
        let silent: Vec<_> = silent.filter(|finding| finding.class.is_silent()).collect();
        let accepted = self.report.findings.iter().filter(|finding| finding.accepted).count();
        let mut left_out = Vec::new();
        for class in [Class::Flaky, Class::Same] {
            match silent.iter().filter(|finding| finding.class == class).count() as u64 {
                0 => {}
                number => left_out.push(wording::class_counted(class, number)),
            }
        }
        if accepted > 0 {
            left_out.push(format!("{} accepted", count(accepted as u64)));
        }
        if !left_out.is_empty() {
            let text = format!("Not shown: {} (--verbose shows them)", wording::listed(&left_out));
            writeln!(out, "\n{}", self.paint.dim(&text))?;
        }
        Ok(())
    }

    /// Why nothing was found in a hunk: a line each, of all hunks with `verbose`.
    fn hunks(&self, out: &mut String) -> Result {
        let hunks: Vec<(&PatchFile, &HunkReport)> = self
            .report
            .patch
            .iter()
            .flat_map(|file| file.hunks.iter().map(move |hunk| (file, hunk)))
            .filter(|(_, hunk)| self.verbose || hunk.answer != HunkAnswer::Found)
            .collect();
        if hunks.is_empty() {
            return Ok(());
        }
        let title = if self.verbose { "The patch" } else { "Where nothing was found, and why" };
        writeln!(out, "\n{}", self.paint.bold("", title))?;
        for (file, hunk) in hunks {
            let label = format!("{:15}", answer_label(hunk.answer));
            let code = match hunk.answer {
                HunkAnswer::Found => "31",
                answer if is_gap(answer) => "33",
                _ => "32",
            };
            let function = match &hunk.function {
                Some(function) => format!(" ({})", function.shown()),
                None => String::new(),
            };
            let place = format!("{}:{}{function}", file.path.shown(), hunk.line());
            let line = format!("{place}: {}", hunk.because.shown());
            let room = self.columns.saturating_sub(18);
            let line = if self.verbose { line } else { fitted(&line, room, self.paint.dots()) };
            writeln!(out, "  {} {line}", self.paint.in_code(code, &label))?;
            if self.verbose {
                self.hunk_lines(out, hunk)?;
            }
        }
        Ok(())
    }

    /// The lines of a hunk, with who runs them in front.
    fn hunk_lines(&self, out: &mut String, hunk: &HunkReport) -> Result {
        for line in &hunk.lines {
            let (sign, code) = match line.sort {
                LineSort::Context => (' ', ""),
                LineSort::Removed => ('-', "31"),
                LineSort::Added => ('+', "32"),
            };
            let runs = match line.run_by() {
                wording::RunBy::NoCode => String::new(),
                wording::RunBy::Tests(tests) => counted(tests, "test"),
                wording::RunBy::Generated => "generated".to_owned(),
                wording::RunBy::Nothing => "not run".to_owned(),
            };
            let number = line.new.or(line.old).unwrap_or(0);
            let text = paint::source(&line.text);
            let text = fitted(&text, self.columns.saturating_sub(24), self.paint.dots());
            let text = self.paint.in_code(code, format!("{sign} {text}").trim_end());
            writeln!(out, "    {} {number:5} {text}", self.paint.dim(&format!("{runs:>11}")))?;
        }
        Ok(())
    }

    fn notes(&self, out: &mut String) -> Result {
        if !self.report.notes.is_empty() {
            writeln!(out, "\n{}", self.paint.bold("", "Notes"))?;
        }
        for note in &self.report.notes {
            let (first, rest) = wording::first_line(note);
            self.item(out, &first.shown().to_string())?;
            // What a compiler said stays in its lines; the indent says that it is not ours.
            for line in rest {
                let room = self.columns.saturating_sub(6);
                writeln!(out, "      {}", fitted(&paint::source(line), room, self.paint.dots()))?;
            }
        }
        for identity in &self.report.gone {
            let text = format!("{} of the baseline was not found any more", identity.shown());
            self.item(out, &text)?;
        }
        Ok(())
    }

    /// A line of a list, which goes on below if it is long.
    fn item(&self, out: &mut String, text: &str) -> Result {
        for line in paint::wrapped(text, self.columns - 2) {
            writeln!(out, "  {line}")?;
        }
        Ok(())
    }

    /// What the versions cost, where that has changed.
    fn effects(&self, out: &mut String) -> Result {
        let shown = |effect: &&crate::EffectLine| self.verbose || effect.is_notable();
        let effects: Vec<_> = self.report.effects.iter().filter(shown).collect();
        if !effects.is_empty() {
            writeln!(out, "\n{}", self.paint.bold("", "What the tests cost"))?;
        }
        for effect in effects {
            let mut text =
                format!("{}: {}", effect.what.shown(), effect.values(effect.old, effect.new));
            if let (Some(test), Some((old, new))) = (&effect.worst, effect.worst_values) {
                text += &format!("; in {} {}", test.shown(), effect.values(old, new));
            }
            self.item(out, &self.paint.ascii(&text))?;
        }
        Ok(())
    }

    /// What was cut.
    fn gaps(&self, out: &mut String) -> Result {
        let gaps = self.report.gaps();
        if !gaps.is_empty() {
            writeln!(out, "\n{}", self.paint.bold("33", "What is missing"))?;
        }
        gaps.iter().try_for_each(|gap| self.item(out, gap))
    }

    fn stages(&self, out: &mut String) -> Result {
        if !self.report.stages.is_empty() {
            writeln!(out, "\n{}", self.paint.bold("", "Stages"))?;
        }
        for line in &self.report.stages {
            let took = duration(line.seconds);
            writeln!(out, "  {:8} {took:>12}  {}", line.stage.name(), line.found.shown())?;
        }
        Ok(())
    }

    fn end(&self, out: &mut String) -> Result {
        let report = self.report;
        writeln!(out)?;
        let mut took = format!("Checked in {}", duration(report.wall_s));
        if self.verbose {
            took += &format!(
                ", {} of processor time, {} MiB at most",
                duration(report.cpu_s),
                count(report.peak_mib.round() as u64)
            );
        }
        match (&report.page, &*report.folder) {
            (Some(page), _) => writeln!(out, "{took}. The whole report: {}", page.shown()),
            (None, "") => writeln!(out, "{took}."),
            (None, folder) => writeln!(out, "{took}. Results are in {}", folder.shown()),
        }
    }
}
