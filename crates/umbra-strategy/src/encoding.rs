//! Small numbers and lists in few bytes.
//!
//! A number is written in groups of seven bits, the lowest first; all but the last one have the highest bit set.

/// Writes.
#[derive(Default)]
pub(crate) struct Writer(Vec<u8>);

impl Writer {
    /// With room for so many bytes.
    pub fn with_capacity(bytes: usize) -> Self {
        Self(Vec::with_capacity(bytes))
    }

    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// A number that may not be there.
    pub fn perhaps(&mut self, number: Option<u64>) {
        match number {
            Some(number) => {
                self.0.push(1);
                self.number(number);
            }
            None => self.0.push(0),
        }
    }

    pub fn flags<const COUNT: usize>(&mut self, flags: [bool; COUNT]) {
        const { assert!(COUNT <= 8) };
        self.0.push((0..).zip(flags).map(|(bit, flag)| u8::from(flag) << bit).sum());
    }

    /// Bytes whose length is known to the reader.
    pub fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub fn bytes(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.raw(bytes);
    }

    pub fn numbers(&mut self, numbers: &[u64]) {
        self.number(numbers.len() as u64);
        numbers.iter().for_each(|&number| self.number(number));
    }

    /// Before each item is a one, and behind the last one a nought: nobody has to count them.
    pub fn list<T>(&mut self, items: impl Iterator<Item = T>, mut write: impl FnMut(&mut Self, T)) {
        for item in items {
            self.0.push(1);
            write(self, item);
        }
        self.0.push(0);
    }

    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

/// Reads; `None` where nothing like it was written.
pub(crate) struct Reader<'a>(&'a [u8]);

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub fn perhaps(&mut self) -> Option<Option<u64>> {
        match self.byte()? {
            0 => Some(None),
            1 => self.number().map(Some),
            _ => None,
        }
    }

    pub fn flags<const COUNT: usize>(&mut self) -> Option<[bool; COUNT]> {
        let byte = u32::from(self.byte()?);
        let flags = std::array::from_fn(|bit| byte >> bit & 1 == 1);
        (byte >> COUNT == 0).then_some(flags)
    }

    pub fn raw(&mut self, length: usize) -> Option<&'a [u8]> {
        let (first, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(first)
    }

    pub fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.raw(length)
    }

    pub fn numbers(&mut self) -> Option<Vec<u64>> {
        let count = self.number()?;
        (0..count).map(|_| self.number()).collect()
    }

    pub fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let mut items = Vec::new();
        loop {
            match self.byte()? {
                0 => return Some(items),
                1 => items.push(read(self)?),
                _ => return None,
            }
        }
    }

    /// Whether nothing is left.
    pub fn is_done(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_all_sizes_come_back() {
        let numbers: Vec<u64> =
            (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit, u64::MAX - (1 << bit)]).collect();
        let mut writer = Writer::default();
        writer.list(numbers.iter(), |writer, &number| writer.number(number));
        numbers.iter().for_each(|&number| writer.perhaps(Some(number)));
        writer.perhaps(None);
        writer.numbers(&numbers);
        let bytes = writer.into_bytes();
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.list(Reader::number), Some(numbers.clone()));
        for &number in &numbers {
            assert_eq!(reader.perhaps(), Some(Some(number)));
        }
        assert_eq!(reader.perhaps(), Some(None));
        assert_eq!(reader.numbers(), Some(numbers));
        assert!(reader.is_done());
        assert_eq!(reader.number(), None);
    }

    #[test]
    fn a_length_beyond_the_end_is_noticed() {
        let mut writer = Writer::default();
        writer.number(u64::MAX);
        let bytes = writer.into_bytes();
        assert_eq!(Reader::new(&bytes).bytes(), None);
        assert_eq!(Reader::new(&bytes).numbers(), None);
        assert_eq!(Reader::new(&[1, 5, 1]).list(Reader::number), None);
        assert_eq!(Reader::new(&[0xff; 10]).number(), None);
    }
}
