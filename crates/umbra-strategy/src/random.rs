//! Lots: a small generator of numbers that are the same for the same seed.

/// Draws numbers.
#[derive(Clone, Debug)]
pub struct Random(fastrand::Rng);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.0.u64(..bound)
    }

    /// One of two sides.
    pub fn side(&mut self) -> usize {
        usize::from(self.0.bool())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_draw_equal_numbers() {
        let draw = |seed| {
            let mut random = Random::new(seed);
            (0..5).map(|_| random.below(1 << 40)).collect::<Vec<_>>()
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
