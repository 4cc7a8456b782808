//! Lots: a small generator of numbers that are the same for the same seed.
//!
//! SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, OOPSLA'14). A
//! searcher needs neither secrecy nor a long period, so a dependency would buy nothing.

/// Draws numbers.
#[derive(Clone, Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `bound`, which is not zero.
    ///
    /// Not exactly uniform: the error is below `bound / 2^64`.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// One of two sides.
    pub fn side(&mut self) -> usize {
        (self.bits() >> 63) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_draw_equal_numbers() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..5).map(|_| random.bits()).collect::<Vec<_>>()
        };
        assert_eq!(draw(7), draw(7));
        assert_ne!(draw(7), draw(8));
    }

    #[test]
    fn numbers_are_spread_over_the_range() {
        let mut random = Random::new(1);
        let mut counts = [0u32; 10];
        let mut sides = [0u32; 2];
        for _ in 0..10_000 {
            counts[random.below(10) as usize] += 1;
            sides[random.side()] += 1;
        }
        assert!(counts.iter().all(|count| (800..1200).contains(count)), "{counts:?}");
        assert!(sides.iter().all(|count| (4800..5200).contains(count)), "{sides:?}");
    }
}
