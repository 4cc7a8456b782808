//! How well a line explains differences, as numbers that are compared exactly.
//!
//! The formulas are in the description of [`Spectrum`](super::Spectrum)'s module.

use std::cmp::Ordering;

/// The score of a line, and what decides where scores are equal. In one round the numbers of cases
/// that differ and that do not are the same for all lines, so they are left out; and whole numbers
/// say which of two is higher.
#[derive(PartialEq, Eq)]
pub struct Score {
    correlation: SignedSquare,
    ochiai: SignedSquare,
}

impl Score {
    /// From the numbers of the cases that run the line, and that do not: of each, those that differ
    /// and those that behave the same.
    pub fn new(counts: [u64; 4]) -> Self {
        let [d, s, e, t] = counts.map(i128::from);
        let correlation = SignedSquare::new(d * t - s * e, (d + s) * (e + t));
        Self { correlation, ochiai: SignedSquare::new(d, d + s) }
    }
}

impl Ord for Score {
    fn cmp(&self, other: &Self) -> Ordering {
        let correlation = self.correlation.cmp(&other.correlation);
        correlation.then_with(|| self.ochiai.cmp(&other.ochiai))
    }
}

impl PartialOrd for Score {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `value / sqrt(divisor)`, ordered exactly. Where the divisor is 0, the whole is 0.
struct SignedSquare {
    value: i128,
    divisor: i128,
}

impl SignedSquare {
    fn new(value: i128, divisor: i128) -> Self {
        if divisor == 0 { Self { value: 0, divisor: 1 } } else { Self { value, divisor } }
    }
}

impl Ord for SignedSquare {
    fn cmp(&self, other: &Self) -> Ordering {
        // Up to ten million cases this does not overflow: 10^14 / 4, squared, times 10^14 / 4.
        // Beyond, the largest number stands for all that are larger.
        let square = |one: &Self, other: &Self| {
            let square = one.value.saturating_mul(one.value).saturating_mul(other.divisor);
            square * one.value.signum()
        };
        square(self, other).cmp(&square(other, self))
    }
}

impl PartialOrd for SignedSquare {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for SignedSquare {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for SignedSquare {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_ordered_as_their_formula() {
        let counts = [[5, 2, 0, 0], [2, 0, 3, 2], [1, 0, 4, 2], [4, 2, 1, 0], [5, 1, 0, 1]];
        let float = |[d, s, e, t]: [u64; 4]| {
            let [d, s, e, t] = [d, s, e, t].map(|count| count as f64);
            let divisor = (d + s) * (e + t) * (d + e) * (s + t);
            if divisor == 0.0 { 0.0 } else { (d * t - s * e) / divisor.sqrt() }
        };
        for one in counts {
            for other in counts {
                let exact = Score::new(one).correlation.cmp(&Score::new(other).correlation);
                assert_eq!(Some(exact), float(one).partial_cmp(&float(other)), "{one:?} {other:?}");
            }
        }
        assert!(Score::new([2, 0, 0, 0]) > Score::new([1, 0, 1, 0]));
    }
}
