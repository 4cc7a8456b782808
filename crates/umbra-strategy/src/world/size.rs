//! Which worlds are too large to be built.
//!
//! Every symbolic byte is an expression, and every number of arguments is a start of its own. What no
//! process can be given, or what no run would get through, is refused before anything is made.

use super::{Argument, World};

/// Symbolic bytes of all starts together. One takes about 200 bytes of memory.
pub const MOST_BYTES: u64 = 4 << 20;

/// Ways in which the program can be started.
pub const MOST_STARTS: u64 = 4096;

/// The longest argument or variable that Linux passes on, its NUL not counted.
const LONGEST_ARGUMENT: u64 = (128 << 10) - 1;

/// What arguments and environment take together at most, with their pointers.
const MOST_ARGUMENTS: u64 = 2 << 20;

/// A world that is too large.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TooLarge {
    /// More bytes than can be explored.
    #[error("{0} symbolic bytes are too many: the limit is {MOST_BYTES}")]
    Bytes(u64),
    /// More numbers of arguments than can be explored.
    #[error(
        "{0} ways to start the program are too many (one for each number of arguments): at most \
         {MOST_STARTS} can be explored"
    )]
    Starts(u64),
    /// An argument or variable that no program can be started with.
    #[error(
        "an argument of {0} bytes is too long: no process is given more than {LONGEST_ARGUMENT}"
    )]
    Argument(u64),
    /// Arguments that no program can be started with.
    #[error("{0} bytes of arguments are too many: no process is given more than {MOST_ARGUMENTS}")]
    Arguments(u64),
}

impl World {
    /// Refuses a world that is too large.
    pub fn check_size(&self) -> Result<(), TooLarge> {
        let files = self.files.iter().map(|file| u64::from(file.data.size)).sum::<u64>();
        let given = files + self.stdin.map_or(0, |data| u64::from(data.size));
        let variables = self.environment.iter().map(|variable| u64::from(variable.length));
        // For all starts together: how many there are, and the bytes of their arguments.
        let (mut starts, mut all, mut largest) = (1u64, 0u64, 0u64);
        for argument in &self.arguments {
            let Argument::Symbolic { minimum, maximum, length } = *argument else { continue };
            let (minimum, maximum, length) = (minimum as u64, maximum as u64, u64::from(length));
            if length > LONGEST_ARGUMENT {
                return Err(TooLarge::Argument(length));
            }
            // The bytes, the NUL, the pointer.
            largest = largest.saturating_add(maximum.saturating_mul(length + 9));
            let counts = maximum - minimum + 1;
            let sum = (minimum + maximum).saturating_mul(counts).saturating_mul(length) / 2;
            all = all.saturating_mul(counts).saturating_add(starts.saturating_mul(sum));
            starts = starts.saturating_mul(counts);
        }
        for length in variables.clone() {
            if length > LONGEST_ARGUMENT {
                return Err(TooLarge::Argument(length));
            }
        }
        let variables = variables.sum::<u64>();
        let bytes = given.saturating_add(variables.saturating_mul(starts)).saturating_add(all);
        if largest > MOST_ARGUMENTS {
            return Err(TooLarge::Arguments(largest));
        }
        if starts > MOST_STARTS {
            return Err(TooLarge::Starts(starts));
        }
        if bytes > MOST_BYTES {
            return Err(TooLarge::Bytes(bytes));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(texts: &[&str]) -> Result<(), TooLarge> {
        let mut world = World::default();
        texts.iter().for_each(|text| world.add(text).expect(text));
        world.check_size()
    }

    #[test]
    fn what_cannot_be_explored_is_refused() {
        assert_eq!(size(&["file:A=2000000000"]), Err(TooLarge::Bytes(2_000_000_000)));
        assert_eq!(size(&["stdin=400000000"]), Err(TooLarge::Bytes(400_000_000)));
        assert_eq!(size(&["stdin=3000000", "file:A=2000000"]), Err(TooLarge::Bytes(5_000_000)));
        assert_eq!(size(&["args=0..100000x100000"]), Err(TooLarge::Arguments(10_000_900_000)));
        assert_eq!(size(&["args=0..100000x3"]), Err(TooLarge::Starts(100_001)));
        assert_eq!(size(&["args=0..64x1", "args=0..64x1"]), Err(TooLarge::Starts(4225)));
        assert_eq!(size(&["args=0..2000x3"]), Err(TooLarge::Bytes(2000 * 2001 * 3 / 2)));
        assert_eq!(size(&["arg=4294967295"]), Err(TooLarge::Argument(4_294_967_295)));
        assert_eq!(size(&["env:A=200000"]), Err(TooLarge::Argument(200_000)));
    }

    #[test]
    fn what_people_explore_is_taken() {
        let all = ["args=0..100x100", "stdin=0..1000000", "file:A=1000000", "env:A=100"];
        assert_eq!(size(&all), Ok(()));
        // Of two groups, the starts are all combinations: 101 * 3 of them.
        assert_eq!(size(&["args=0..100x10", "args=0..2x1000"]), Ok(()));
    }
}
