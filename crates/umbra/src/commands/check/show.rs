//! How far a check is: a line for each stage that has ended, and one that is written over for what is done now.

use std::cell::Cell;
use std::time::{Duration, Instant};

use umbra_jobs::Told;
use umbra_report::{CheckFinding, StageEnd, StageLine};
use umbra_text::Show;

use crate::out::{self, tell};
use crate::terminal;

/// Time between two changes of the line: people do not read faster.
const PAUSE: Duration = Duration::from_millis(100);

/// Characters of the bar of a share.
const BAR: usize = 20;

/// Shows the stages.
pub struct Stages {
    quiet: bool,
    watched: bool,
    next: Cell<Instant>,
}

impl Stages {
    /// For a command that is just starting.
    pub fn new(quiet: bool) -> Self {
        Self { quiet, watched: terminal::is_watched(), next: Cell::new(Instant::now()) }
    }

    /// Shows what happens.
    pub fn tell(&self, told: &Told<'_>) {
        if self.quiet {
            return;
        }
        match told {
            Told::Doing(stage, text, share) => self.doing(stage.name(), text, *share),
            Told::Ended(line) => self.ended(line),
            Told::Found(finding) => self.found(finding),
        }
    }

    /// Removes the line that is written over.
    pub fn clear(&self) {
        if self.watched && !self.quiet {
            out::watched_line("");
        }
    }

    fn doing(&self, stage: &str, text: &str, share: Option<f64>) {
        if !self.watched || Instant::now() < self.next.get() {
            return;
        }
        self.next.set(Instant::now() + PAUSE);
        let bar = share.map_or_else(String::new, |share| {
            let full = (share.clamp(0.0, 1.0) * BAR as f64) as usize;
            format!("[{}{}] ", "#".repeat(full), ".".repeat(BAR - full))
        });
        let line = format!("{stage}: {bar}{text}").shown().to_string();
        let line: String = line.chars().take(terminal::width()).collect();
        out::watched_line(&line);
    }

    fn ended(&self, line: &StageLine) {
        self.clear();
        let StageLine { stage, end, found, seconds } = line;
        let how = match end {
            StageEnd::Done => format!(" ({seconds:.1} s)"),
            StageEnd::Reused => " (as before)".to_owned(),
            StageEnd::Skipped => " (skipped)".to_owned(),
            StageEnd::Failed => " (failed)".to_owned(),
            StageEnd::Interrupted => " (interrupted)".to_owned(),
        };
        tell!("{}: {}{how}", stage.name(), found.shown());
    }

    fn found(&self, finding: &CheckFinding) {
        self.clear();
        let who = if finding.by_suite { "the suite shows" } else { "found" };
        let line =
            finding.shell.as_ref().map_or(String::new(), |line| format!(": {}", line.shown()));
        tell!("{who}: {} ({}){line}", finding.verdict.shown(), finding.class.name());
    }
}
