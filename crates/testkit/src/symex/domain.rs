//! All inputs of a program that has few of them, numbered.

use anyhow::{Context, ensure};

use super::directives::Symbolic;
use super::input::{Input, integer};

/// One dimension of the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Part {
    /// An object of that many bytes, of any value.
    Bytes { name: String, size: usize },
    /// An object that is an integer in a range without its end.
    Range { name: String, width: String, begin: i128, end: i128 },
    /// That many bytes of standard input.
    Stdin(usize),
    /// An argument of up to that many bytes.
    Arg(usize),
    /// A file of that many bytes.
    File { name: String, size: usize },
}

impl Part {
    fn len(&self) -> Option<u64> {
        match self {
            Self::Bytes { size, .. } | Self::Stdin(size) | Self::File { size, .. } => power(*size),
            Self::Range { begin, end, .. } => u64::try_from(end - begin).ok(),
            // No byte of an argument is zero.
            Self::Arg(length) => (0..=*length).try_fold(0u64, |sum, length| {
                sum.checked_add(255u64.checked_pow(u32::try_from(length).ok()?)?)
            }),
        }
    }

    fn put(&self, index: u64, input: &mut Input) {
        match self {
            Self::Bytes { name, size } => input.objects.push((name.clone(), low(index, *size))),
            Self::Range { name, width, begin, .. } => {
                let bytes = integer(width, begin + i128::from(index)).unwrap_or_default();
                input.objects.push((name.clone(), bytes));
            }
            Self::Stdin(size) => input.stdin = low(index, *size),
            Self::Arg(length) => input.args.push(argument(index, *length)),
            Self::File { name, size } => input.files.push((name.clone(), low(index, *size))),
        }
    }
}

fn power(size: usize) -> Option<u64> {
    256u64.checked_pow(u32::try_from(size).ok()?)
}

fn low(index: u64, size: usize) -> Vec<u8> {
    index.to_le_bytes()[..size].to_vec()
}

/// Arguments by length, then by their bytes.
fn argument(mut index: u64, most: usize) -> Vec<u8> {
    let mut length = 0;
    let mut count = 1;
    while index >= count && length < most {
        index -= count;
        count *= 255;
        length += 1;
    }
    let mut bytes = Vec::new();
    for _ in 0..length {
        // Below 256, as it is a remainder by 255.
        bytes.push((index % 255) as u8 + 1);
        index /= 255;
    }
    bytes
}

/// All inputs of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    parts: Vec<Part>,
    len: u64,
}

impl Domain {
    /// Reads `NAME=SIZE` (any bytes) and `NAME=TYPE:BEGIN..END` (integers, without the end).
    pub fn parse(text: &str) -> anyhow::Result<Self> {
        let mut parts = Vec::new();
        for word in text.split_whitespace() {
            let (name, value) =
                word.split_once('=').with_context(|| format!("`{word}` is not NAME=SIZE"))?;
            let name = name.to_owned();
            parts.push(match value.split_once(':') {
                None => Part::Bytes { name, size: value.parse()? },
                Some((width, range)) => {
                    let (begin, end) = range.split_once("..").context("a range is BEGIN..END")?;
                    let (begin, end) = (begin.parse()?, end.parse::<i128>()?);
                    integer(width, begin)?;
                    integer(width, end - 1)?;
                    Part::Range { name, width: width.to_owned(), begin, end }
                }
            });
        }
        Self::of_parts(parts).context("these are too many inputs to count")
    }

    /// All values of inputs from outside; `None` if they cannot be counted.
    pub fn of_symbolic(symbolic: &[Symbolic]) -> Option<Self> {
        let mut parts = Vec::new();
        for symbolic in symbolic {
            match symbolic {
                Symbolic::Stdin(size) => parts.push(Part::Stdin(*size)),
                Symbolic::Args { count, length } => {
                    parts.extend((0..*count).map(|_| Part::Arg(*length)));
                }
                Symbolic::File { name, size } => {
                    parts.push(Part::File { name: name.clone(), size: *size });
                }
            }
        }
        Self::of_parts(parts)
    }

    fn of_parts(parts: Vec<Part>) -> Option<Self> {
        let len = parts.iter().try_fold(1u64, |len, part| len.checked_mul(part.len()?))?;
        Some(Self { parts, len })
    }

    /// The number of inputs.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether there is no input at all.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The input of this number, which is below the number of inputs.
    pub fn get(&self, mut index: u64) -> Input {
        let mut input = Input::default();
        for part in &self.parts {
            // Every part could be counted, or there would be no domain.
            let len = part.len().unwrap_or(1).max(1);
            part.put(index % len, &mut input);
            index /= len;
        }
        input
    }
}

/// Checks that a domain is small enough to be enumerated.
pub fn ensure_small(domain: &Domain) -> anyhow::Result<()> {
    ensure!(!domain.is_empty(), "there is no input");
    ensure!(domain.len() <= 1 << 16, "{} inputs are too many", domain.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every input of the domain, once.
    fn all(domain: &Domain) -> BTreeSet<String> {
        (0..domain.len()).map(|index| format!("{:?}", domain.get(index))).collect()
    }

    #[test]
    fn numbers_every_input_once() {
        for (text, count) in [("a=1", 256), ("a=1 b=i32:-3..4", 256 * 7), ("a=u16:5..9", 4)] {
            let domain = Domain::parse(text).unwrap();
            assert_eq!((domain.len(), all(&domain).len()), (count, count as usize), "{text}");
        }
        let domain = Domain::of_symbolic(&[Symbolic::Args { count: 1, length: 2 }]).unwrap();
        assert_eq!(domain.len(), 1 + 255 + 255 * 255);
        assert_eq!(all(&domain).len(), 65281);
        let zero = (0..domain.len()).find(|&at| domain.get(at).args[0].contains(&0));
        assert_eq!(zero, None);
    }

    #[test]
    fn knows_the_ends_of_a_range() {
        let domain = Domain::parse("a=i16:-2..3").unwrap();
        assert_eq!(domain.get(0).objects, [("a".to_owned(), vec![0xfe, 0xff])]);
        assert_eq!(domain.get(4).objects, [("a".to_owned(), vec![2, 0])]);
        assert!(Domain::parse("a=i8:-129..3").is_err());
        assert!(Domain::parse("a=u8:0..257").is_err());
    }
}
