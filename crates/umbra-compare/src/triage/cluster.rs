//! Cases that show the same thing.

use std::collections::BTreeMap;

use umbra_case::CaseId;
use umbra_words::{Class, End};

use super::skeleton::skeleton;
use super::spectrum::Explanation;
use crate::{Aspect, Channel, Difference, Judgement, Outcome, SanitizerReport};

/// A case with its judgement, as clusters are made from.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The case.
    pub id: CaseId,
    /// The program that it is for.
    pub program: String,
    /// Bytes of its inputs: the fewer, the better the example.
    pub size: u64,
    /// The changed line that explains the difference, if somebody knows.
    pub cause: Explanation,
    /// What the two runs came to.
    pub judgement: Judgement,
}

/// What cases of one cluster have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Signature {
    /// The class.
    pub class: Class,
    /// The program.
    pub program: String,
    /// Where the error is that a sanitizer has reported: `src/cut.c:120`.
    pub place: Option<String>,
    /// The changed line that explains the difference. Unknown where there is a place: errors in one
    /// place are one.
    pub cause: Explanation,
    /// The innermost functions of the error's stack.
    pub stack: Vec<String>,
    /// The kind of each difference, without its data.
    pub differences: Vec<String>,
}

/// Cases that show the same thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cluster {
    /// What they have in common.
    pub signature: Signature,
    /// All of them, the smallest first: that is the example to look at.
    pub cases: Vec<CaseId>,
}

impl Cluster {
    /// The smallest case.
    pub fn representative(&self) -> CaseId {
        self.cases[0]
    }
}

/// Functions of a stack that count.
const STACK: usize = 3;

/// Puts cases together, those that matter most first. Cases without difference are in no cluster.
pub fn cluster(judged: &[Judged]) -> Vec<Cluster> {
    let mut by_signature: BTreeMap<Signature, Vec<&Judged>> = BTreeMap::new();
    for case in judged.iter().filter(|case| case.judgement.class != Class::Same) {
        by_signature.entry(signature(case)).or_default().push(case);
    }
    let mut clusters: Vec<(Rank, Cluster)> = Vec::new();
    for (signature, mut cases) in by_signature {
        cases.sort_by_key(|case| (case.size, case.id));
        let rank = rank(&signature, &cases);
        let cases = cases.iter().map(|case| case.id).collect();
        clusters.push((rank, Cluster { signature, cases }));
    }
    clusters.sort_by(|(one, first), (other, second)| {
        one.cmp(other).then_with(|| first.signature.cmp(&second.signature))
    });
    clusters.into_iter().map(|(_, cluster)| cluster).collect()
}

/// Lower is more important: the class, then [`Judgement::urgency`], then the size.
type Rank = (Class, Urgency, u64);

fn rank(signature: &Signature, cases: &[&Judged]) -> Rank {
    let first = cases.first();
    let urgency = first.map_or((u8::MAX, u8::MAX), |case| case.judgement.urgency());
    (signature.class, urgency, first.map_or(0, |case| case.size))
}

/// How much a difference matters among those of its class; lower is more.
pub type Urgency = (u8, u8);

impl Judgement {
    /// How certain an error is, then what people see first: another status, output that is gone, other output, other files, other
    /// messages.
    pub fn urgency(&self) -> Urgency {
        let outcome = if self.class == Class::Fix { &self.old } else { &self.new };
        let error = match outcome {
            Outcome { report: Some(_), .. } => 0,
            Outcome { end: End::Killed(_), .. } => 1,
            Outcome { end: End::Hung | End::OverLimit(_), .. } => 2,
            _ => 3,
        };
        let has = |is: &dyn Fn(&Channel) -> bool| {
            self.differences.iter().any(|difference| is(&difference.channel))
        };
        let stdout = |channel: &Channel| matches!(channel, Channel::Stdout { .. });
        let channel = match () {
            () if has(&|channel| matches!(channel, Channel::End)) => 0,
            () if has(&stdout) && self.loses_output() => 1,
            () if has(&stdout) => 2,
            () if has(&|channel| matches!(channel, Channel::Tree { .. })) => 3,
            () => 4,
        };
        (error, channel)
    }

    /// Whether the new version writes a part of what the old one does, and no more.
    fn loses_output(&self) -> bool {
        let (old, new) = (&self.old.stdout.bytes, &self.new.stdout.bytes);
        new.len() < old.len() && old.starts_with(new)
    }

    /// What the cases of one cluster have in common: the kind of each difference, without its data.
    pub fn kinds(&self) -> Vec<String> {
        let kind = |difference: &Difference| match difference.channel {
            Channel::Stdout { .. } if self.loses_output() => {
                "stdout: the end is missing".to_owned()
            }
            _ => kind(difference),
        };
        let mut kinds: Vec<String> = self.differences.iter().map(kind).collect();
        kinds.dedup();
        kinds
    }
}

fn signature(case: &Judged) -> Signature {
    let Judgement { class, differences, old, new, .. } = &case.judgement;
    let report = new.report.as_ref().or(old.report.as_ref());
    let place = report.and_then(place_of);
    let cause = if place.is_none() { case.cause.clone() } else { Explanation::Unknown };
    let stack = report.map_or(Vec::new(), |report| {
        let functions = report.stack.iter().filter_map(|frame| frame.function.clone());
        functions.take(STACK).collect()
    });
    let is_end = |difference: &Difference| matches!(difference.channel, Channel::End);
    let is_of_error =
        |difference: &&Difference| matches!(difference.channel, Channel::End | Channel::Report);
    let mut kinds: Vec<String> = match &cause {
        // What is missing behind an error is missing because of it.
        _ if place.is_some() => differences.iter().filter(is_of_error).map(kind).collect(),
        // So is what comes with another exit status, where one change explains both.
        Explanation::Line(_) if differences.iter().any(is_end) => {
            differences.iter().filter(|it| is_end(it)).map(kind).collect()
        }
        Explanation::Line(line) if line.is_strong() => differences.iter().map(rough_kind).collect(),
        _ => case.judgement.kinds(),
    };
    kinds.dedup();
    let program = case.program.clone();
    Signature { class: *class, program, place, cause, stack, differences: kinds }
}

fn place_of(report: &SanitizerReport) -> Option<String> {
    report.place.as_ref().map(|place| format!("{}:{}", place.file, place.line))
}

/// A difference without its data.
fn kind(difference: &Difference) -> String {
    let Difference { channel, old, new } = difference;
    match channel {
        Channel::End => format!("end: {old} / {new}"),
        Channel::Stdout { .. } => "stdout".to_owned(),
        // Messages are few and say what they mean.
        Channel::Stderr { .. } => format!("stderr: {} / {}", skeleton(old), skeleton(new)),
        Channel::Report => format!("sanitizer: {} / {}", skeleton(old), skeleton(new)),
        Channel::Tree { what, .. } => match what {
            Aspect::Existence => format!("tree: {old} / {new}"),
            Aspect::Mode => format!("tree: mode {old} / {new}"),
            what => format!("tree: {what:?}").to_lowercase(),
        },
    }
}

/// What is left of a difference where the line is known that it comes from: how the program ends, or
/// that something else differs. Whether its output shows as a stream or as a file is up to the test
/// that has redirected it, and one line may write both.
fn rough_kind(difference: &Difference) -> String {
    match difference.channel {
        Channel::End => kind(difference),
        _ => "output".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Case;

    use super::*;
    use crate::compare::tests::{outcome, report};
    use crate::judge;
    use crate::triage::spectrum::ChangedLine;
    use umbra_words::{Place, Target, Version};

    fn judged(name: &str, size: u64, old: &Outcome, new: &Outcome) -> Judged {
        let case = Case { arguments: vec![name.into()], ..Case::default() };
        let again = |version, _| {
            Ok::<_, ()>(vec![if version == Version::Old { old.clone() } else { new.clone() }])
        };
        Judged {
            id: case.id(),
            program: "cut".to_owned(),
            size,
            cause: Explanation::Unknown,
            judgement: judge(old.clone(), new.clone(), again).unwrap(),
        }
    }

    fn says(text: &str) -> Outcome {
        let mut outcome = outcome("");
        outcome.stderr.bytes = text.into();
        outcome.end = End::Exited(1);
        outcome
    }

    #[test]
    fn like_goes_with_like() {
        let one = judged("1", 5, &says("bad value 'a'\n"), &says("bad value 'a', stop\n"));
        let two = judged("2", 3, &says("bad value 'bcd'\n"), &says("bad value 'bcd', stop\n"));
        let other = judged("3", 1, &says("no file\n"), &says("no such file\n"));
        let same = judged("4", 0, &says("x"), &says("x"));
        let clusters = cluster(&[one.clone(), two.clone(), other.clone(), same]);
        let cases: Vec<&[CaseId]> = clusters.iter().map(|cluster| &*cluster.cases).collect();
        assert_eq!(cases, [&[other.id][..], &[two.id, one.id][..]]);
        assert_eq!(clusters[1].representative(), two.id);
    }

    #[test]
    fn what_matters_comes_first() {
        let crash = Outcome { end: End::Killed(11), ..outcome("") };
        let hang = Outcome { end: End::Hung, ..outcome("") };
        let reported = Outcome { report: Some(report("overflow", 3)), ..outcome("") };
        let cases = [
            judged("fix", 1, &crash, &outcome("")),
            judged("output", 1, &outcome("a"), &outcome("b")),
            judged("lost", 2, &outcome("ab"), &outcome("a")),
            judged("status", 3, &outcome("a"), &Outcome { end: End::Exited(1), ..outcome("b") }),
            judged("message", 1, &says("a"), &says("b")),
            judged("hang", 1, &outcome(""), &hang),
            judged("crash", 1, &outcome(""), &crash),
            judged("report", 9, &outcome(""), &reported),
        ];
        let order = ["report", "crash", "hang", "status", "lost", "output", "message", "fix"];
        let expected: Vec<CaseId> = order
            .map(|name| Case { arguments: vec![name.into()], ..Case::default() }.id())
            .to_vec();
        let found: Vec<CaseId> = cluster(&cases).iter().map(Cluster::representative).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn errors_in_different_places_are_different() {
        let at = |line| Outcome { report: Some(report("overflow", line)), ..outcome("") };
        let cases = [3, 3, 8].map(|line| judged("", 1, &outcome(""), &at(line)));
        let sizes: Vec<usize> = cluster(&cases).iter().map(|cluster| cluster.cases.len()).collect();
        assert_eq!(sizes, [2, 1]);
    }

    fn line(line: u32, same: u64) -> Explanation {
        let (file, function) = ("cut.c".to_owned(), "main".to_owned());
        let target = Target { place: Place { file, line }, function, version: Version::New };
        Explanation::Line(ChangedLine { target, differing: 3, same })
    }

    #[test]
    fn causes_tell_differences_apart_and_join_them() {
        let with = |case: Judged, cause| Judged { cause, ..case };
        let (old, new) = (outcome("a"), outcome("b"));
        let shows = |name| judged(name, 1, &old, &new);
        let says = judged("3", 1, &says("a"), &says("b"));
        let sizes = |cases: &[Judged]| -> Vec<usize> {
            cluster(cases).iter().map(|cluster| cluster.cases.len()).collect()
        };
        assert_eq!(sizes(&[with(shows("1"), line(1, 0)), with(shows("2"), line(2, 0))]), [1, 1]);
        // One line, one cause, wherever it shows; unless there is little to say for that line.
        let of_line = |same| [with(shows("1"), line(1, same)), with(says.clone(), line(1, same))];
        assert_eq!(sizes(&of_line(0)), [2]);
        assert_eq!(sizes(&of_line(3)), [1, 1]);
    }

    #[test]
    fn what_is_written_before_an_error_tells_no_errors_apart() {
        let error = Outcome { report: Some(report("overflow", 3)), ..outcome("") };
        let cases = ["", "much"].map(|text| judged(text, 1, &outcome(text), &error));
        assert_eq!(cluster(&cases).len(), 1);
    }

    #[test]
    fn errors_in_one_place_are_one() {
        let error = Outcome { report: Some(report("overflow", 3)), ..outcome("") };
        let cases = [1, 2].map(|number| {
            let case = judged(&number.to_string(), 1, &outcome(""), &error);
            Judged { cause: line(number, 0), ..case }
        });
        let clusters = cluster(&cases);
        assert_eq!(clusters.len(), 1);
        assert_eq!(clusters[0].signature.cause, Explanation::Unknown);
    }
}
