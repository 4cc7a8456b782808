//! Paths and numbers as text, in memory of fixed size.
//!
//! The memory is not initialised: filling it would be a call of a function through a table of
//! addresses, which nobody fills in for the shim.

use core::mem::MaybeUninit;

/// Bytes of a string with its NUL: a path, and a name below it.
const MOST: usize = 4608;

/// A string for the kernel. What does not fit makes it useless, and nothing else.
pub struct Text {
    bytes: [MaybeUninit<u8>; MOST],
    length: usize,
}

impl Text {
    /// An empty string.
    pub fn new() -> Self {
        Self { bytes: [const { MaybeUninit::uninit() }; MOST], length: 0 }
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) -> &mut Self {
        for byte in bytes {
            if let [place, _, ..] = self.bytes.get_mut(self.length..).unwrap_or_default() {
                place.write(*byte);
                self.length += 1;
            }
        }
        if let Some(place) = self.bytes.get_mut(self.length) {
            place.write(0);
        }
        self
    }

    /// Adds a number.
    pub fn add_number(&mut self, number: u64) -> &mut Self {
        let mut digits = [0; 20];
        let mut rest = number;
        let mut first = digits.len();
        for (index, digit) in digits.iter_mut().enumerate().rev() {
            *digit = b'0' + (rest % 10) as u8;
            rest /= 10;
            first = index;
            if rest == 0 {
                break;
            }
        }
        self.add(digits.get(first..).unwrap_or_default())
    }

    /// The string as the kernel takes it.
    pub fn pointer(&self) -> *const u8 {
        self.bytes.as_ptr().cast()
    }
}

/// The number at the start of a text.
pub fn number(text: &[u8]) -> u64 {
    let mut number = 0u64;
    for byte in text.iter().take_while(|byte| byte.is_ascii_digit()) {
        number = number.wrapping_mul(10).wrapping_add(u64::from(*byte - b'0'));
    }
    number
}
