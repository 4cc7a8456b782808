//! The results as a table.

use super::outcome::{Half, Outcome, Phase, Search};

/// The share of the usable entries that should be found.
const AIM: f64 = 0.7;

/// Prints the results, those of the held-out half only if all are asked for, and the sums of both halves.
pub fn print(outcomes: &[Outcome], all: bool) -> anyhow::Result<()> {
    print!("{}", rows(outcomes, all));
    print!("\n{}", sums(outcomes));
    Ok(())
}

fn rows(outcomes: &[Outcome], all: bool) -> String {
    let mut text = "| entry | half | outcome | phase | visible | silent | untold | reached | found s | wall s | budget s | used | revision |\n".to_owned();
    text += &format!("|{}\n", "---|".repeat(13));
    for outcome in outcomes.iter().filter(|outcome| all || outcome.half == Half::Tuning) {
        let search = |show: &dyn Fn(&Search) -> String| {
            outcome.search.as_ref().map_or_else(String::new, show)
        };
        let cells = [
            outcome.name.clone(),
            half_name(outcome.half).to_owned(),
            outcome.verdict().replace('|', r"\|"),
            outcome.phase.map_or("", phase_name).to_owned(),
            search(&|search| search.visible.to_string()),
            search(&|search| search.silent.to_string()),
            search(&|search| search.untold.to_string()),
            search(&|search| format!("{} of {}", search.reached, search.changes)),
            outcome.found_s.map_or_else(String::new, |seconds| format!("{seconds:.1}")),
            search(&|search| format!("{:.1}", search.wall_s)),
            outcome.budget_s.to_string(),
            search(&|search| format!("{:.0} %", search.share * 100.0)),
            outcome.revision.clone(),
        ];
        text += &format!("| {} |\n", cells.join(" | "));
    }
    text
}

fn sums(outcomes: &[Outcome]) -> String {
    let mut text = "| half | results | usable | found | aim | suite | shape | seed | concolic | bounded | around | only with sanitizers | visible | silent | untold |\n".to_owned();
    text += &format!("|{}\n", "---|".repeat(15));
    for half in [Half::Tuning, Half::HeldOut] {
        let of_half: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.half == half).collect();
        let usable: Vec<&Outcome> =
            of_half.iter().copied().filter(|outcome| outcome.is_usable()).collect();
        let count = |counts: &dyn Fn(&Outcome) -> bool| {
            usable.iter().filter(|outcome| counts(outcome)).count()
        };
        let sum = |of: &dyn Fn(&Search) -> usize| -> usize {
            usable.iter().filter_map(|outcome| outcome.search.as_ref()).map(of).sum()
        };
        let found = count(&|outcome| outcome.found);
        let share = found as f64 / usable.len().max(1) as f64;
        let [suite, shape, seed, concolic, bounded, around] = [
            Phase::Suite,
            Phase::Shape,
            Phase::Seed,
            Phase::Concolic,
            Phase::Bounded,
            Phase::Around,
        ]
        .map(|phase| count(&|outcome| outcome.phase == Some(phase)));
        text += &format!(
            "| {} | {} | {} | {found} ({:.0} %) | {:.0} %, {} | {suite} | {shape} | {seed} | {concolic} | {bounded} | {around} | {} | {} | {} | {} |\n",
            half_name(half),
            of_half.len(),
            usable.len(),
            share * 100.0,
            AIM * 100.0,
            match usable.is_empty() {
                true => "not known",
                false if share >= AIM => "holds",
                false => "**missed**",
            },
            count(&|outcome| outcome.needs_sanitizer),
            sum(&|search| search.visible),
            sum(&|search| search.silent),
            sum(&|search| search.untold),
        );
    }
    text
}

fn half_name(half: Half) -> &'static str {
    match half {
        Half::Tuning => "tuning",
        Half::HeldOut => "held-out",
    }
}

fn phase_name(phase: Phase) -> &'static str {
    match phase {
        Phase::Suite => "suite",
        Phase::Shape => "shape",
        Phase::Seed => "seed",
        Phase::Concolic => "concolic",
        Phase::Bounded => "bounded",
        Phase::Around => "around",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::Value;

    use super::super::outcome::Shown;
    use super::*;

    fn outcome(name: &str, half: Half, bad: &str, phase: Option<Phase>) -> Outcome {
        let classes = BTreeMap::from([(bad.to_owned(), 1)]);
        Outcome {
            name: name.to_owned(),
            half,
            revision: "abc".to_owned(),
            budget_s: 120,
            commands: Vec::new(),
            failure: None,
            bad: Some(Shown { classes, differences: Value::Null }),
            bad_sanitized: None,
            seeds: None,
            search: None,
            found: phase.is_some(),
            phase,
            found_s: None,
            needs_sanitizer: false,
        }
    }

    fn outcomes() -> Vec<Outcome> {
        vec![
            outcome("seen", Half::Tuning, "regression", Some(Phase::Concolic)),
            outcome("unseen", Half::Tuning, "regression", None),
            outcome("unusable", Half::Tuning, "same", None),
            outcome("secret", Half::HeldOut, "regression", Some(Phase::Seed)),
        ]
    }

    #[test]
    fn of_the_held_out_half_only_sums_are_shown() {
        let few = rows(&outcomes(), false);
        assert!(few.contains("| seen | tuning | found | concolic |"), "{few}");
        assert!(few.contains("| unusable | tuning | the bad input shows nothing |"), "{few}");
        assert!(!few.contains("secret"), "{few}");
        assert!(rows(&outcomes(), true).contains("| secret | held-out | found | seed |"));
        assert!(!sums(&outcomes()).contains("secret"));
    }

    #[test]
    fn what_is_found_counts_among_what_is_usable() {
        let sums = sums(&outcomes());
        assert!(
            sums.contains(
                "| tuning | 3 | 2 | 1 (50 %) | 70 %, **missed** | 0 | 0 | 0 | 1 | 0 | 0 | 0 |"
            ),
            "{sums}"
        );
        assert!(
            sums.contains("| held-out | 1 | 1 | 1 (100 %) | 70 %, holds | 0 | 0 | 1 | 0 | 0 |"),
            "{sums}"
        );
    }
}
