//! What a difference means: regression, fix, something to judge, or chance.

use super::{Difference, compare};
use umbra_words::{Class, End, Version};

use crate::Outcome;

/// A class and what led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The class.
    pub class: Class,
    /// What differs for sure; for the two classes of chance, what differs from run to run.
    pub differences: Vec<Difference>,
    /// What differed between runs of the old version and was therefore left out.
    pub flaky: Vec<Difference>,
    /// The old version's run.
    pub old: Outcome,
    /// The new version's run.
    pub new: Outcome,
}

/// How long a version that is run again may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// As long as before.
    Usual,
    /// Longer.
    Long,
}

/// Judges two runs. If they differ, each version is run again by `again`, as often as that likes, to see
/// what differs from run to run anyway. A hang of one version alone is looked at with patience: it may
/// have needed just a little longer.
pub fn judge<E>(
    mut old: Outcome,
    mut new: Outcome,
    mut again: impl FnMut(Version, Patience) -> Result<Vec<Outcome>, E>,
) -> Result<Judgement, E> {
    let alone = match (old.end == End::Hung, new.end == End::Hung) {
        (true, false) => Some((Version::Old, &mut old)),
        (false, true) => Some((Version::New, &mut new)),
        _ => None,
    };
    if let Some((version, hung)) = alone {
        // If any of these runs ends, it is no hang.
        let runs = again(version, Patience::Long)?;
        if let Some(ended) = runs.into_iter().find(|run| run.end != End::Hung) {
            *hung = ended;
        }
    }
    let mut unsteady = |version, first: &Outcome| {
        let runs = again(version, Patience::Usual)?;
        Ok(runs.iter().flat_map(|run| compare(first, run)).collect::<Vec<_>>())
    };
    let differences = compare(&old, &new);
    if differences.is_empty() {
        let (differences, flaky) = (Vec::new(), Vec::new());
        return Ok(Judgement { class: Class::Same, differences, flaky, old, new });
    }
    let mut flaky = unsteady(Version::Old, &old)?;
    let shaky = unsteady(Version::New, &new)?;
    let mut sorted = Sorted::new(&differences, &flaky, &shaky);
    for _ in 0..MORE_RUNS {
        if !sorted.is_introduced() {
            break;
        }
        flaky.extend(unsteady(Version::Old, &old)?);
        sorted = Sorted::new(&differences, &flaky, &shaky);
    }
    let (class, differences) = if !sorted.stable.is_empty() {
        (class_of(&old, &new), sorted.stable)
    } else if !sorted.introduced.is_empty() {
        (Class::NondeterminismIntroduced, sorted.introduced)
    } else {
        (Class::Flaky, sorted.unsteady)
    };
    Ok(Judgement { class, differences, flaky, old, new })
}

/// The class of two versions that differ.
fn class_of(old: &Outcome, new: &Outcome) -> Class {
    match Class::of_errors(old.is_error(), new.is_error()) {
        // It may have done its work, had it had the time: an error in place of that is not mended by itself.
        Class::Fix if old.end == End::Hung && !matches!(new.end, End::Exited(0)) => {
            Class::OutputDifference
        }
        class => class,
    }
}

/// How often the old version is run again before it is said to do the same every time: of two runs,
/// chance may make equal ones.
const MORE_RUNS: usize = 3;

/// Differences between the versions, by what differs from run to run of one version.
struct Sorted {
    /// Nothing of the kind.
    stable: Vec<Difference>,
    /// It does in the new version alone.
    introduced: Vec<Difference>,
    /// It does in the old version.
    unsteady: Vec<Difference>,
}

impl Sorted {
    fn new(differences: &[Difference], flaky: &[Difference], shaky: &[Difference]) -> Self {
        let mut sorted = Self { stable: vec![], introduced: vec![], unsteady: vec![] };
        for difference in differences {
            let channel = &difference.channel;
            let is_in =
                |list: &[Difference]| list.iter().any(|other| other.channel.is_like(channel));
            // Names that a version makes up are others in every run, and so in no run of the other.
            let is_made_up = || flaky.iter().any(|old| old.channel.is_name_beside(channel));
            let place = match (is_in(flaky), is_in(shaky)) {
                (true, _) => &mut sorted.unsteady,
                (false, true) if is_made_up() => &mut sorted.unsteady,
                (false, true) => &mut sorted.introduced,
                (false, false) => &mut sorted.stable,
            };
            place.push(difference.clone());
        }
        sorted
    }

    /// Whether the versions differ in that alone.
    fn is_introduced(&self) -> bool {
        self.stable.is_empty() && !self.introduced.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use umbra_case::Timestamp;

    use super::*;
    use crate::compare::Channel;
    use crate::compare::tests::{outcome, report};
    use crate::{Tree, TreeEntry, TreeKind};

    /// Judges with what a second run of each version gives.
    fn judged(old: [Outcome; 2], new: [Outcome; 2]) -> Judgement {
        let ([old, old_again], [new, new_again]) = (old, new);
        let again = |version, _| {
            Ok::<_, ()>(match version {
                Version::Old => vec![old_again.clone()],
                Version::New => vec![new_again.clone()],
            })
        };
        judge(old, new, again).unwrap()
    }

    fn steady(old: Outcome, new: Outcome) -> Class {
        judged([old.clone(), old], [new.clone(), new]).class
    }

    #[test]
    fn errors_of_one_version_decide() {
        let fine = outcome("a");
        let crash = Outcome { end: End::Killed(11), ..outcome("") };
        let hang = Outcome { end: End::Hung, ..outcome("") };
        let reported = Outcome { report: Some(report("overflow", 1)), ..outcome("a") };
        for wrong in [&crash, &hang, &reported] {
            assert_eq!(steady(fine.clone(), wrong.clone()), Class::Regression);
            assert_eq!(steady(wrong.clone(), fine.clone()), Class::Fix);
        }
        assert_eq!(steady(crash.clone(), hang), Class::OutputDifference);
        assert_eq!(steady(crash.clone(), crash), Class::Same);
        let terminated = Outcome { end: End::Killed(15), ..outcome("a") };
        assert_eq!(steady(fine.clone(), terminated), Class::OutputDifference);
        assert_eq!(steady(fine.clone(), outcome("b")), Class::OutputDifference);
        assert_eq!(steady(fine.clone(), fine), Class::Same);
    }

    #[test]
    fn what_the_old_version_does_by_chance_is_set_aside() {
        let flaky = judged([outcome("1"), outcome("2")], [outcome("3"), outcome("4")]);
        assert_eq!((flaky.class, flaky.differences.len()), (Class::Flaky, 1));
        // Chance on one channel does not hide what is certain on another.
        let exits = |text, status| Outcome { end: End::Exited(status), ..outcome(text) };
        let both = judged([exits("1", 0), exits("2", 0)], [exits("3", 1), exits("4", 1)]);
        assert_eq!(both.class, Class::OutputDifference);
        assert_eq!(both.differences.len(), 1);
        assert_eq!(both.differences[0].channel, Channel::End);
    }

    #[test]
    fn chance_in_the_new_version_alone_is_a_finding() {
        let introduced = judged([outcome("1"), outcome("1")], [outcome("2"), outcome("3")]);
        assert_eq!(introduced.class, Class::NondeterminismIntroduced);
        assert!(introduced.class.is_finding() && !Class::Flaky.is_finding());
    }

    #[test]
    fn chance_in_the_old_version_may_need_more_runs_to_show() {
        let mut runs = ["1", "1", "4"].into_iter();
        let again = |version, _| match version {
            Version::Old => runs.next().map(|text| vec![outcome(text)]).ok_or("too many runs"),
            Version::New => Ok(vec![outcome("3")]),
        };
        let judgement = judge(outcome("1"), outcome("2"), again).unwrap();
        assert_eq!(judgement.class, Class::Flaky);
        assert_eq!(runs.next(), None);
    }

    #[test]
    fn what_one_of_several_runs_shows_is_chance() {
        let again = |version, _| {
            Ok::<_, ()>(match version {
                Version::Old => vec![outcome("1"), outcome("2")],
                Version::New => vec![outcome("1"), outcome("2")],
            })
        };
        assert_eq!(judge(outcome("1"), outcome("2"), again).unwrap().class, Class::Flaky);
    }

    #[test]
    fn names_by_chance_are_nobodys_finding() {
        let makes = |names: &[&str]| {
            let entry = |name: &&str| TreeEntry {
                path: name.as_bytes().to_vec(),
                kind: TreeKind::Fifo,
                mode: 0o600,
                modified: Timestamp { seconds: 2000, nanoseconds: 0 },
                links: 1,
            };
            Outcome { tree: Tree(names.iter().map(entry).collect()), ..outcome("") }
        };
        let class =
            |old: [&[&str]; 2], new: [&[&str]; 2]| judged(old.map(makes), new.map(makes)).class;
        assert_eq!(class([&["d/a"], &["d/b"]], [&["d/c"], &["d/e"]]), Class::Flaky);
        // One that is there every time is no chance, nor are names where the old version has none.
        assert_eq!(
            class([&["d/a"], &["d/b"]], [&["d/c", "d/x"], &["d/e", "d/x"]]),
            Class::OutputDifference
        );
        assert_eq!(
            class([&["d/a"], &["d/b"]], [&["c", "d/c"], &["d/e", "e"]]),
            Class::NondeterminismIntroduced
        );
        assert_eq!(class([&[], &[]], [&["d/c"], &["d/e"]]), Class::NondeterminismIntroduced);
    }

    #[test]
    fn what_ends_a_little_later_does_not_hang() {
        let hang = || Outcome { end: End::Hung, ..outcome("") };
        let ends_late = |_, patience| {
            let ended = if patience == Patience::Long { outcome("a") } else { hang() };
            Ok::<_, ()>(vec![hang(), ended])
        };
        assert_eq!(judge(outcome("a"), hang(), ends_late).unwrap().class, Class::Same);
        assert_eq!(judge(hang(), outcome("a"), ends_late).unwrap().class, Class::Same);
        let never = |_, _| Err::<Vec<Outcome>, _>("ran again");
        assert_eq!(judge(hang(), hang(), never).unwrap().class, Class::Same);
    }

    #[test]
    fn nothing_is_run_again_without_need() {
        let never = |_, _| Err::<Vec<Outcome>, _>("ran again");
        assert_eq!(judge(outcome("a"), outcome("a"), never).unwrap().class, Class::Same);
        assert!(judge(outcome("a"), outcome("b"), never).is_err());
    }

    #[test]
    fn a_hang_that_became_an_error_message_is_not_mended_by_itself() {
        let hang = Outcome { end: End::Hung, ..outcome("") };
        let done = outcome("done");
        let refused = Outcome { end: End::Exited(1), ..outcome("") };
        let class =
            |new: &Outcome| judged([hang.clone(), hang.clone()], [new.clone(), new.clone()]).class;
        assert_eq!([class(&done), class(&refused)], [Class::Fix, Class::OutputDifference]);
    }
}
