//! Whether a run on one worker reached what it was to reach.
//!
//! Seconds are CPU seconds, so that other work on the machine does not decide.

use super::measure::Measured;
use super::programs::{Aim, Klee};

/// An aim, KLEE's figure, ours.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub measure: &'static str,
    pub klee: f64,
    pub umbra: f64,
    /// How many times better than KLEE's; for coverage just the quotient.
    pub ratio: f64,
    pub aim: String,
    pub met: bool,
}

/// Judges a run.
pub fn judge(aim: Aim, klee: &Klee, measured: &Measured) -> Judgement {
    match aim {
        Aim::PathRate(times) => {
            let (klee, umbra) = (klee.paths / klee.seconds, measured.paths / measured.cpu_s);
            let ratio = umbra / klee;
            let aim = format!("{times} times");
            Judgement { measure: "paths/s", klee, umbra, ratio, aim, met: ratio >= times }
        }
        Aim::Seconds(limit) => Judgement {
            measure: "s to the end",
            klee: klee.seconds,
            umbra: measured.cpu_s,
            ratio: klee.seconds / measured.cpu_s,
            aim: format!("under {limit} s"),
            met: measured.complete && measured.cpu_s < limit,
        },
        Aim::Coverage => {
            let (klee, umbra) = (klee.coverage.unwrap_or(0.0), measured.module);
            let aim = "more".to_owned();
            let ratio = umbra / klee;
            Judgement { measure: "% of the module", klee, umbra, ratio, aim, met: umbra > klee }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(cpu_s: f64, paths: f64, module: f64, complete: bool) -> Measured {
        Measured {
            workers: 1,
            wall_s: 100.0,
            cpu_s,
            peak_mib: 1.0,
            paths,
            queries: 0.0,
            solver_s: 0.0,
            instructions: 0.0,
            complete,
            limits: Vec::new(),
            module,
            own: 0.0,
        }
    }

    #[test]
    fn aims_are_met_or_missed() {
        let klee = Klee { seconds: 60.0, paths: 120.0, coverage: Some(30.0) };
        for (aim, run, ratio, met) in [
            (Aim::PathRate(5.0), measured(2.0, 20.0, 0.0, false), 5.0, true),
            (Aim::PathRate(5.0), measured(2.0, 19.0, 0.0, false), 4.75, false),
            (Aim::Seconds(12.0), measured(10.0, 1.0, 0.0, true), 6.0, true),
            (Aim::Seconds(12.0), measured(10.0, 1.0, 0.0, false), 6.0, false),
            (Aim::Seconds(12.0), measured(12.0, 1.0, 0.0, true), 5.0, false),
            (Aim::Coverage, measured(12.0, 1.0, 45.0, false), 1.5, true),
            (Aim::Coverage, measured(12.0, 1.0, 30.0, false), 1.0, false),
        ] {
            let judgement = judge(aim, &klee, &run);
            assert_eq!((judgement.ratio, judgement.met), (ratio, met), "{aim:?} {run:?}");
        }
    }
}
