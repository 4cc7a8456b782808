//! What the shapes of statements are written with: names, expressions, conditions.
//!
//! All expressions are unsigned, so that nothing overflows; shifts are by less than the width,
//! divisors are at least one, indices are taken modulo a size. What is wrong is so on purpose.

use super::lots::Lots;

/// Variables of `main`, besides the inputs.
pub const VARIABLES: usize = 4;

/// Writes one program.
pub struct Writer {
    /// Where chance comes from.
    pub lots: Lots,
    /// Whether errors may be placed.
    pub errors: bool,
    inputs: Vec<&'static str>,
    fresh: usize,
    /// About how many paths there are so far.
    paths: usize,
    most: usize,
}

impl Writer {
    /// For a program with these inputs and about so many paths.
    pub fn new(lots: Lots, inputs: Vec<&'static str>, errors: bool, most: usize) -> Self {
        Self { lots, errors, inputs, fresh: 0, paths: 1, most }
    }

    /// Says that a statement multiplies the paths.
    pub fn spend(&mut self, ways: usize) {
        self.paths = self.paths.saturating_mul(ways);
    }

    /// Whether there are as many paths as there should be.
    pub fn is_spent(&self) -> bool {
        self.paths >= self.most
    }

    /// A name that is not used yet.
    pub fn fresh(&mut self, prefix: &str) -> String {
        self.fresh += 1;
        format!("{prefix}{}", self.fresh)
    }

    /// A variable.
    pub fn variable(&mut self) -> String {
        format!("v{}", self.lots.below(VARIABLES))
    }

    /// An input.
    pub fn input(&mut self) -> &'static str {
        self.lots.one(&self.inputs)
    }

    /// Something without operators.
    fn atom(&mut self) -> String {
        match self.lots.below(10) {
            0..5 => self.input().to_owned(),
            5..8 => self.variable(),
            8 => format!("{}u", self.lots.below(256)),
            _ => format!(
                "{}u",
                self.lots.one(&[0, 1, 7, 0x80, 0xffff, 0x8000_0000, 0xffff_ffff_u32])
            ),
        }
    }

    /// An unsigned number.
    pub fn number(&mut self) -> String {
        let depth = self.lots.below(3);
        self.number_of(depth)
    }

    fn number_of(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.atom();
        }
        let a = self.number_of(depth - 1);
        let b = self.atom();
        let k = 1 + self.lots.below(15);
        match self.lots.below(16) {
            0 => format!("({a} + {b})"),
            1 => format!("({a} - {b})"),
            2 => format!("({a} ^ {b})"),
            3 => format!("({a} & {b})"),
            4 => format!("({a} | {b})"),
            5 => format!("({a} * {k}u)"),
            6 => format!("(({a} & 15u) * ({b} & 31u))"),
            7 => format!("({a} >> {k})"),
            8 => format!("({a} << {k})"),
            9 => format!("({a} >> ({b} & 7u))"),
            10 => format!("({a} / {k}u)"),
            11 => format!("(({a} & 255u) % (({b} & 7u) + 1u))"),
            12 => format!("(unsigned)(int)(signed char)({a})"),
            13 => format!("({} ? {a} : {b})", self.condition()),
            14 => format!("(~{a})"),
            _ => format!("(unsigned)({})", self.condition()),
        }
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> String {
        let number = self.number();
        match bound.is_power_of_two() {
            true => format!("({number} & {}u)", bound - 1),
            false => format!("({number} % {bound}u)"),
        }
    }

    /// Something that is true or false.
    pub fn condition(&mut self) -> String {
        let a = self.atom();
        let b = self.atom();
        let k = self.lots.below(256);
        match self.lots.below(7) {
            0 => format!("{a} < {k}u"),
            1 => format!("{a} == {k}u"),
            2 => format!("({a} & {}u)", 1 << self.lots.below(8)),
            3 => format!("{a} > {b}"),
            4 => format!("(int){a} < (int){b}"),
            5 => format!("({a} & 7u) == {}u", k & 7),
            _ => format!("({a} ^ {b}) % 3u == 1u"),
        }
    }

    /// A condition that only a few inputs meet, so that an error behind it is not the only outcome.
    pub fn seldom(&mut self) -> String {
        let a = self.input();
        let k = self.lots.below(256);
        match self.lots.below(3) {
            0 => format!("{a} == {k}u"),
            1 => format!("({a} & 15u) == {}u", k & 15),
            _ => format!("{a} % 7u == {}u", k % 7),
        }
    }

    /// A statement that puts a number into a variable.
    pub fn keep(&mut self, number: &str) -> String {
        let v = self.variable();
        match self.lots.below(3) {
            0 => format!("{v} = (unsigned)({number});"),
            1 => format!("{v} += (unsigned)({number});"),
            _ => format!("{v} = {v} * 5u ^ (unsigned)({number});"),
        }
    }

    /// That many numbers of bytes, separated by commas.
    pub fn bytes(&mut self, count: usize) -> String {
        let bytes: Vec<String> = (0..count).map(|_| self.lots.below(256).to_string()).collect();
        bytes.join(", ")
    }
}
