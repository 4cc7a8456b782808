//! Sets of unsigned numbers, as intervals.

use umbra_ir::Predicate;

/// More intervals than this are not told apart.
const MAX_INTERVALS: usize = 32;

/// A set of numbers of at most 64 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Values {
    /// Rising, with gaps between them; both ends belong to an interval.
    intervals: Vec<(u64, u64)>,
}

impl Values {
    /// No number.
    pub const NONE: Self = Self { intervals: Vec::new() };

    /// All numbers of so many bits.
    pub fn all(bits: u32) -> Self {
        Self { intervals: vec![(0, mask(bits))] }
    }

    /// One number.
    pub fn one(value: u64) -> Self {
        Self { intervals: vec![(value, value)] }
    }

    /// The numbers of so many bits that compare so with a constant on the right.
    pub fn that_are(predicate: Predicate, constant: u64, bits: u32) -> Self {
        let (last, half) = (mask(bits), 1u64 << (bits - 1));
        let below = |value: u64| value.checked_sub(1).map_or(vec![], |end| vec![(0, end)]);
        let above = |value: u64| if value < last { vec![(value + 1, last)] } else { vec![] };
        // In the order of signed numbers, the upper half comes first.
        let signed = |unsigned: Self| unsigned.moved(half, bits);
        let turned = constant.wrapping_add(half) & last;
        let intervals = match predicate {
            Predicate::Eq => vec![(constant, constant)],
            Predicate::Ne => return Self::one(constant).complement(bits),
            Predicate::Ult => below(constant),
            Predicate::Ule => vec![(0, constant)],
            Predicate::Ugt => above(constant),
            Predicate::Uge => vec![(constant, last)],
            Predicate::Slt => return signed(Self { intervals: below(turned) }),
            Predicate::Sle => return signed(Self { intervals: vec![(0, turned)] }),
            Predicate::Sgt => return signed(Self { intervals: above(turned) }),
            Predicate::Sge => return signed(Self { intervals: vec![(turned, last)] }),
        };
        Self { intervals }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.intervals.is_empty()
    }

    /// Whether a number belongs to them.
    pub fn contains(&self, value: u64) -> bool {
        self.intervals.iter().any(|&(first, last)| first <= value && value <= last)
    }

    /// The only number, if there is just one.
    pub fn only(&self) -> Option<u64> {
        match self.intervals.as_slice() {
            &[(first, last)] if first == last => Some(first),
            _ => None,
        }
    }

    /// The intervals, rising; both ends belong to an interval.
    pub fn intervals(&self) -> &[(u64, u64)] {
        &self.intervals
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        let mut all: Vec<_> = self.intervals.iter().chain(&other.intervals).copied().collect();
        all.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::new();
        for (first, last) in all {
            match joined.last_mut() {
                Some((_, end)) if first <= end.saturating_add(1) => *end = last.max(*end),
                _ => joined.push((first, last)),
            }
        }
        if joined.len() > MAX_INTERVALS {
            let last = joined.last().map_or(0, |&(_, last)| last);
            joined = vec![(joined[0].0, last)];
        }
        Self { intervals: joined }
    }

    pub(crate) fn intersection(&self, other: &Self) -> Self {
        let mut common = Vec::new();
        for &(first, last) in &self.intervals {
            for &(other_first, other_last) in &other.intervals {
                let (first, last) = (first.max(other_first), last.min(other_last));
                if first <= last {
                    common.push((first, last));
                }
            }
        }
        Self { intervals: common }
    }

    pub(crate) fn complement(&self, bits: u32) -> Self {
        let (mut next, mut rest) = (Some(0), Vec::new());
        for &(first, last) in &self.intervals {
            if let Some(start) = next
                && start < first
            {
                rest.push((start, first - 1));
            }
            next = last.checked_add(1).filter(|&next| next <= mask(bits));
        }
        rest.extend(next.map(|start| (start, mask(bits))));
        Self { intervals: rest }
    }

    /// The numbers plus a constant, modulo 2^bits.
    pub(crate) fn moved(&self, by: u64, bits: u32) -> Self {
        let last_number = mask(bits);
        let mut moved = Self::NONE;
        for &(first, last) in &self.intervals {
            let (start, end) =
                (first.wrapping_add(by) & last_number, last.wrapping_add(by) & last_number);
            let all = last - first == last_number;
            let parts = match start <= end {
                _ if all => vec![(0, last_number)],
                true => vec![(start, end)],
                false => vec![(0, end), (start, last_number)],
            };
            moved = moved.union(&Self { intervals: parts });
        }
        moved
    }

    /// The numbers of `narrow` bits whose sign extension to `wide` bits is one of these.
    pub(crate) fn before_sign_extension(&self, narrow: u32, wide: u32) -> Self {
        let half = 1u64 << (narrow - 1);
        let positive = self.intersection(&Self { intervals: vec![(0, half - 1)] });
        let negative = Self { intervals: vec![(mask(wide) - (half - 1), mask(wide))] };
        let negative = self.intersection(&negative);
        let cut = negative.intervals.iter();
        let cut = cut.map(|&(first, last)| (first & mask(narrow), last & mask(narrow)));
        positive.union(&Self { intervals: cut.collect() })
    }
}

/// All ones in so many bits.
pub(crate) fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits.clamp(1, 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PREDICATES: [Predicate; 10] = [
        Predicate::Eq,
        Predicate::Ne,
        Predicate::Ult,
        Predicate::Ule,
        Predicate::Ugt,
        Predicate::Uge,
        Predicate::Slt,
        Predicate::Sle,
        Predicate::Sgt,
        Predicate::Sge,
    ];

    fn holds(predicate: Predicate, left: u64, right: u64, bits: u32) -> bool {
        let signed = |value: u64| ((value << (64 - bits)) as i64) >> (64 - bits);
        match predicate {
            Predicate::Eq => left == right,
            Predicate::Ne => left != right,
            Predicate::Ult => left < right,
            Predicate::Ule => left <= right,
            Predicate::Ugt => left > right,
            Predicate::Uge => left >= right,
            Predicate::Slt => signed(left) < signed(right),
            Predicate::Sle => signed(left) <= signed(right),
            Predicate::Sgt => signed(left) > signed(right),
            Predicate::Sge => signed(left) >= signed(right),
        }
    }

    /// All numbers of four bits.
    fn members(values: &Values) -> Vec<u64> {
        (0..16).filter(|&value| values.contains(value)).collect()
    }

    #[test]
    fn sets_agree_with_enumeration() {
        for predicate in PREDICATES {
            for constant in 0..16 {
                let values = Values::that_are(predicate, constant, 4);
                let expected: Vec<_> =
                    (0..16).filter(|&value| holds(predicate, value, constant, 4)).collect();
                assert_eq!(members(&values), expected, "{predicate:?} {constant}");
                let outside: Vec<_> = (0..16).filter(|value| !expected.contains(value)).collect();
                assert_eq!(members(&values.complement(4)), outside);
                assert_eq!(values.union(&values.complement(4)), Values::all(4));
                assert!(values.intersection(&values.complement(4)).is_empty());
                for by in 0..16 {
                    let mut sums: Vec<_> = expected.iter().map(|value| (value + by) % 16).collect();
                    sums.sort_unstable();
                    assert_eq!(members(&values.moved(by, 4)), sums);
                }
                let extended = |value: u64| if value >= 4 { value | 8 } else { value };
                let narrow: Vec<_> =
                    (0..8).filter(|&value| values.contains(extended(value))).collect();
                assert_eq!(members(&values.before_sign_extension(3, 4)), narrow);
            }
        }
        let wide = Values::that_are(Predicate::Slt, 0, 64);
        assert_eq!(wide.intervals(), [(1 << 63, u64::MAX)]);
        assert_eq!(Values::all(64).complement(64), Values::NONE);
    }
}
