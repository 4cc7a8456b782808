//! What runs of both versions take. The host decides it, so it is no part of a result.

use serde::{Deserialize, Serialize};
use umbra_compare::{Judgement, Outcome};

/// What both versions took of something.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cost {
    /// Of what.
    pub what: CostKind,
    /// All cases, on the old version and on the new one.
    pub all: [u64; 2],
    /// The case on which the new version takes most, against the old one.
    pub worst: Option<(String, [u64; 2])>,
}

/// What runs take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CostKind {
    /// Microseconds of processor time.
    #[default]
    Time,
    /// Bytes of memory at the peak.
    Memory,
}

/// What cases have taken so far.
#[derive(Default)]
pub struct Costs {
    time: Cost,
    memory: Cost,
}

impl Costs {
    /// Takes in what a case took.
    pub fn add(&mut self, case: &str, judgement: &Judgement) {
        let of = |kind: fn(&Outcome) -> u64| [kind(&judgement.old), kind(&judgement.new)];
        add(&mut self.time, case, of(time));
        add(&mut self.memory, case, of(|outcome| outcome.usage.peak_memory));
    }

    /// All that was counted.
    pub fn close(mut self) -> Vec<Cost> {
        self.memory.what = CostKind::Memory;
        [self.time, self.memory].into_iter().filter(|cost| cost.worst.is_some()).collect()
    }
}

/// Microseconds of processor time.
fn time(outcome: &Outcome) -> u64 {
    (outcome.usage.user + outcome.usage.system).as_micros().try_into().unwrap_or(u64::MAX)
}

fn add(cost: &mut Cost, case: &str, [old, new]: [u64; 2]) {
    cost.all[0] += old;
    cost.all[1] += new;
    let more = |[old, new]: [u64; 2]| i128::from(new) - i128::from(old);
    if cost.worst.as_ref().is_none_or(|(_, worst)| more([old, new]) > more(*worst)) {
        cost.worst = Some((case.to_owned(), [old, new]));
    }
}
