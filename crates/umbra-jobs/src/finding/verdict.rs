//! A finding in one line: what the new version does, and what the old one did.

use umbra_compare::{Channel, Difference, Judgement, Outcome};
use umbra_report::DivergenceLine;
use umbra_text::Show;
use umbra_words::{Class, End};

use super::behaviour::signal;

/// The line.
pub fn verdict(
    program: &str,
    class: Class,
    judgement: &Judgement,
    line: Option<&DivergenceLine>,
) -> String {
    let Judgement { old, new, differences, .. } = judgement;
    match class {
        Class::Regression if judgement.class.is_silent() => {
            let what = line.and_then(|line| line.detail.split("; ").last()).unwrap_or("it fails");
            format!("{program}: {what}, but native runs do not show it")
        }
        Class::Regression => format!("{program} {}, where it {}", bad(new), good(old)),
        Class::Fix => format!("{program} no longer {}: it {}", plain(&bad(old)), good(new)),
        Class::NondeterminismIntroduced => {
            format!("{program} now behaves differently from run to run")
        }
        Class::Flaky => format!("{program} behaves differently from run to run in both versions"),
        Class::OutputDifference | Class::ToJudge | Class::Same => {
            let end = differences.iter().find(|difference| difference.channel == Channel::End);
            match end {
                Some(_) => format!("{program} {}, where it {}", good(new), good(old)),
                None => format!("{program} {}", output(old, new, differences)),
            }
        }
    }
}

/// What a version does wrong.
fn bad(outcome: &Outcome) -> String {
    match &outcome.end {
        End::Killed(number) => format!("is killed by {}", signal(*number)),
        End::Hung => "does not end".to_owned(),
        End::OverLimit(limit) => format!("goes over the limit on {}", limit.name()),
        _ => match &outcome.report {
            Some(report) => {
                let place = report.place.as_ref();
                let place = place.map(|place| format!(" at {}:{}", place.file, place.line));
                format!("does something undefined ({}{})", report.kind, place.unwrap_or_default())
            }
            None => good(outcome),
        },
    }
}

/// The infinitive of what [`bad`] says.
fn plain(bad: &str) -> String {
    let (first, rest) = bad.split_once(' ').unwrap_or((bad, ""));
    match first {
        "is" => format!("gets {rest}"),
        "does" if rest.starts_with("not end") => "hangs".to_owned(),
        "does" => format!("does {rest}"),
        _ => bad.to_owned(),
    }
}

/// How a version ends.
fn good(outcome: &Outcome) -> String {
    match &outcome.end {
        End::Exited(0) => "exits with status 0".to_owned(),
        End::Exited(status) => match message(outcome) {
            Some(message) => format!("exits with status {status} ({message})"),
            None => format!("exits with status {status}"),
        },
        End::Killed(number) => format!("is killed by {}", signal(*number)),
        End::Hung => "does not end".to_owned(),
        end => format!("ends with {end}"),
    }
}

/// The first line of a message, if it is short.
fn message(outcome: &Outcome) -> Option<String> {
    let line = outcome.stderr.bytes.split(|byte| *byte == b'\n').next()?;
    let text = String::from_utf8_lossy(line).shown().to_string();
    (!text.is_empty() && text.len() <= 60).then_some(text)
}

/// What differs of what both leave behind.
fn output(old: &Outcome, new: &Outcome, differences: &[Difference]) -> String {
    let has = |is: fn(&Channel) -> bool| differences.iter().any(|it| is(&it.channel));
    let (before, after) = (&old.stdout.bytes, &new.stdout.bytes);
    if has(|channel| matches!(channel, Channel::Stdout { .. })) {
        return match () {
            () if after.is_empty() => "prints nothing any more".to_owned(),
            () if before.is_empty() => "prints something where it printed nothing".to_owned(),
            () if before.starts_with(after) => {
                "prints only the beginning of what it did".to_owned()
            }
            () if after.starts_with(before) => "prints more than it did".to_owned(),
            () => "prints something else".to_owned(),
        };
    }
    let tree = differences.iter().find_map(|difference| match &difference.channel {
        Channel::Tree { path, .. } => Some(String::from_utf8_lossy(path).shown().to_string()),
        _ => None,
    });
    match tree {
        Some(path) => format!("leaves {path} in another state"),
        None if has(|channel| matches!(channel, Channel::Stderr { .. })) => {
            match (old.stderr.bytes.is_empty(), new.stderr.bytes.is_empty()) {
                (false, true) => "prints no message any more".to_owned(),
                (true, false) => "prints a message where it printed none".to_owned(),
                _ => "prints another message".to_owned(),
            }
        }
        None => "behaves differently".to_owned(),
    }
}
