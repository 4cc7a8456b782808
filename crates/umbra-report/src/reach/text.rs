//! The report as a screen of text.

use std::fmt::Write;

use umbra_text::Show;
use umbra_words::{ReachReason, Sought};

use super::{ReachInput, ReachProgram, ReachReport, TargetCounts, TargetLine};

impl ReachReport {
    /// A screen of text.
    pub fn to_text(&self) -> String {
        let mut text = String::new();
        for program in &self.programs {
            program.write(&mut text, self.programs.len() > 1);
        }
        for note in &self.notes {
            line(&mut text, &note.shown().to_string());
        }
        let (blocks, lines) = (self.blocks(), self.lines());
        if blocks.all > 1 {
            line(&mut text, &format!("{}; {}", counts(blocks, "block"), counts(lines, "line")));
        }
        let inputs = self.targets().any(|target| target.outcome == Sought::Reached);
        if inputs && !self.folder.is_empty() {
            line(&mut text, &format!("the test cases are in {}", self.folder.shown()));
        }
        text
    }
}

impl ReachProgram {
    fn write(&self, text: &mut String, is_named: bool) {
        if is_named {
            line(text, &format!("{}:", self.path.shown()));
        }
        for target in &self.targets {
            line(text, &target.to_text());
        }
        for error in &self.errors {
            let finding = &error.finding;
            let place = match error.nearness.as_str() {
                "target" => "in the target",
                "near" => "near a target",
                _ => "elsewhere",
            };
            let case = finding.case.as_ref().map_or(String::new(), |case| format!(", {case}"));
            let native =
                error.native.as_ref().map_or(String::new(), |end| format!("; natively: {end}"));
            line(
                text,
                &format!("error: {} at {}, {place}{case}{native}", finding.kind, finding.place),
            );
        }
        if let Some(why) = &self.not_replayed {
            line(text, &format!("nothing was confirmed natively: {}", why.shown()));
        }
    }
}

impl TargetLine {
    /// The place of the target: its first line and, of several, the last.
    pub fn place(&self) -> String {
        let lines = &self.target.lines;
        match (lines.first(), lines.last()) {
            (Some(first), Some(last)) if last.line > first.line && last.file == first.file => {
                format!("{first}-{}", last.line)
            }
            (Some(first), _) => first.to_string(),
            (None, _) => format!("block {}", self.target.block),
        }
    }

    /// One line.
    pub fn to_text(&self) -> String {
        let place = format!("{} ({})", self.place(), self.target.function.shown());
        match (self.outcome, self.inputs.first()) {
            (Sought::Tested, Some(input)) => format!("{place}: run by {}", input.case.shown()),
            (Sought::Tested, None) => format!("{place}: run by a test"),
            (Sought::Reached, Some(input)) => {
                let more = match self.inputs.len() {
                    1 => String::new(),
                    count => format!(" and {} more", count - 1),
                };
                format!("{place}: run by {}{more} ({})", input.case.shown(), input.how())
            }
            _ => format!("{place}: {}: {}", self.outcome_words(), self.why().shown()),
        }
    }

    /// Why nothing runs it, in words.
    pub fn why(&self) -> String {
        let reason = self.reason.map_or("not run", why);
        match self.detail.as_str() {
            "" => reason.to_owned(),
            detail => format!("{reason}: {detail}"),
        }
    }

    fn outcome_words(&self) -> &'static str {
        match self.outcome {
            Sought::Unreachable => "cannot be run",
            Sought::Exhausted => "not run by any input of these shapes",
            _ => "not run",
        }
    }
}

impl ReachInput {
    /// Where it comes from.
    fn how(&self) -> String {
        let mut text = format!("from {}", self.seed.shown());
        let names: Vec<&str> = self.mechanisms.iter().map(|mechanism| mechanism.name()).collect();
        if !names.is_empty() {
            let _ = write!(text, ", by {}", names.join(" and "));
        }
        text += match self.confirmed {
            Some(true) => "",
            Some(false) => "; natively it does not run the block",
            None => "; not run natively",
        };
        text
    }
}

fn why(reason: ReachReason) -> &'static str {
    match reason {
        ReachReason::NoCaller => "nothing calls its function",
        ReachReason::NoWay => "no way leads to it from the start of its function",
        ReachReason::ConstantCondition => "a condition on every way to it is never true",
        ReachReason::AllPaths => "all their paths were followed",
        ReachReason::NoSeed => "no test comes near it",
        ReachReason::NotRecorded => "there is no test for its program",
        ReachReason::IndirectCall => "only calls through pointers lead to it, and none was seen to",
        ReachReason::Solver => "the solver left questions open",
        ReachReason::Environment => "the program asked for what is not modelled",
        ReachReason::NotConfirmed => "an input was to run it, and natively did not",
        ReachReason::NothingLeft => "nothing was left to try",
        ReachReason::Budget => "the budget was used up",
    }
}

fn counts(counts: TargetCounts, what: &str) -> String {
    let TargetCounts { all, tested, reached } = counts;
    let percent = |part: u64| (part * 100).checked_div(all).unwrap_or(0);
    format!(
        "{all} changed {what}s: {tested} run by tests ({} %), {reached} with generated inputs ({} %)",
        percent(tested),
        percent(reached)
    )
}

fn line(text: &mut String, content: &str) {
    text.push_str(content);
    text.push('\n');
}

#[cfg(test)]
mod tests {
    use umbra_words::Mechanism;

    use super::super::tests::target;
    use super::*;

    #[test]
    fn each_target_has_a_line() {
        let input = ReachInput {
            case: "cases/000001".to_owned(),
            seed: "t1".to_owned(),
            mechanisms: vec![Mechanism::Greedy, Mechanism::Options],
            confirmed: Some(true),
        };
        let reached = TargetLine { inputs: vec![input], ..target(1, 5, Sought::Reached) };
        let dead =
            TargetLine { reason: Some(ReachReason::NoCaller), ..target(2, 9, Sought::Unreachable) };
        assert_eq!(
            reached.to_text(),
            "a.c:5 (f): run by cases/000001 (from t1, by greedy and options)"
        );
        assert_eq!(dead.to_text(), "a.c:9 (f): cannot be run: nothing calls its function");
    }
}
