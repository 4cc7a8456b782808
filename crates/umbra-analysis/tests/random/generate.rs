//! Random programs of three functions over a few globals.

use std::fmt::Write;

/// Numbers from a seed, by the generator of Knuth's MMIX.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len() as u64) as usize]
    }
}

/// Globals: a number, a pair of numbers, a pointer to one of them, two flags.
const GLOBALS: &str = "\
g0 @number: 4 align 4 = zero
g1 @pair: 8 align 4 = \"\\02\\00\\00\\00\\01\\00\\00\\00\"
g2 @flags: 2 align 1 = \"\\01\\00\"
g3 @pointer: 8 align 8 = zero 8 with 0: g1@pair
";

const NUMBERS: [&str; 3] = ["ptr g0@number", "ptr g1@pair", "ptr g1@pair+4"];

struct Writer {
    random: Random,
    text: String,
    next: u32,
    /// The registers of numbers and pointers that can be read here.
    numbers: Vec<String>,
    pointers: Vec<String>,
}

/// The text of a program.
pub fn program(seed: u64) -> String {
    let mut random = Random(seed);
    random.below(2);
    let mut writer = Writer {
        random,
        text: GLOBALS.to_owned(),
        next: 0,
        numbers: Vec::new(),
        pointers: Vec::new(),
    };
    writer.function(0, "main", &[1, 2]);
    writer.function(1, "outer", &[2]);
    writer.function(2, "inner", &[1]);
    writer.text
}

impl Writer {
    fn register(&mut self) -> String {
        self.next += 1;
        format!("r{}", self.next - 1)
    }

    fn line(&mut self, text: &str) {
        writeln!(self.text, "  {text}").unwrap();
    }

    fn function(&mut self, id: usize, name: &str, callees: &[usize]) {
        let blocks = 3 + self.random.below(4);
        self.next = 1 + blocks as u32;
        writeln!(self.text, "fn{id} @{name}(r0: i32, r1: ptr) -> i32 {{").unwrap();
        for block in 0..blocks {
            self.numbers = vec!["r0".into()];
            self.pointers = vec!["r1".into()];
            match block {
                0 => writeln!(self.text, "bb0:").unwrap(),
                _ => {
                    let parameter = format!("r{}", 1 + block);
                    writeln!(self.text, "bb{block}({parameter}: i32):").unwrap();
                    self.numbers.push(parameter);
                }
            }
            for _ in 0..self.random.below(4) {
                self.instruction(callees);
            }
            self.terminator(blocks);
        }
        self.text.push_str("}\n");
    }

    fn number(&mut self) -> String {
        match self.random.below(3) {
            0 => format!("i32 {}", self.random.below(4)),
            _ => {
                let at = self.random.below(self.numbers.len() as u64);
                self.numbers[at as usize].clone()
            }
        }
    }

    fn pointer(&mut self) -> String {
        match self.random.below(2) {
            0 => self.random.pick(&NUMBERS).to_owned(),
            _ => {
                let at = self.random.below(self.pointers.len() as u64);
                self.pointers[at as usize].clone()
            }
        }
    }

    fn condition(&mut self) -> String {
        let left = match self.random.below(3) {
            // Mostly what the program has just read.
            0 => self.number(),
            _ => self.numbers.last().cloned().unwrap_or_default(),
        };
        let predicate = self.random.pick(&["eq", "ne", "slt", "sgt", "ult", "uge"]);
        let right = self.random.below(4);
        let register = self.register();
        self.line(&format!("{register}: i1 = icmp {predicate} {left}, i32 {right}"));
        register
    }

    fn instruction(&mut self, callees: &[usize]) {
        match self.random.below(12) {
            0..3 => {
                let (pointer, register) = (self.pointer(), self.register());
                self.line(&format!("{register}: i32 = load {pointer}"));
                self.numbers.push(register);
            }
            3..6 => {
                let (value, pointer) = (self.number(), self.pointer());
                self.line(&format!("store {value}, {pointer}"));
            }
            6 => {
                let op = self.random.pick(&["add", "sub", "and", "xor"]);
                let (left, right) = (self.number(), self.random.below(4));
                let register = self.register();
                self.line(&format!("{register}: i32 = {op} {left}, i32 {right}"));
                self.numbers.push(register);
            }
            7 => {
                let condition = self.condition();
                let (left, right, register) = (self.number(), self.number(), self.register());
                self.line(&format!("{register}: i32 = select {condition}, {left}, {right}"));
                self.numbers.push(register);
            }
            8 => {
                let (value, narrow, wide) = (self.number(), self.register(), self.register());
                let cast = self.random.pick(&["sext", "zext"]);
                self.line(&format!("{narrow}: i8 = trunc {value}"));
                self.line(&format!("{wide}: i32 = {cast} {narrow}"));
                self.numbers.push(wide);
            }
            9 => {
                // A flag is one bit of a byte.
                let flag = self.random.pick(&["ptr g2@flags", "ptr g2@flags+1"]);
                let (bit, wide) = (self.register(), self.register());
                self.line(&format!("{bit}: i1 = load {flag}"));
                self.line(&format!("{wide}: i32 = zext {bit}"));
                self.numbers.push(wide);
                let condition = self.condition();
                self.line(&format!("store {condition}, {flag}"));
            }
            10 => match self.random.below(3) {
                0 => {
                    let register = self.register();
                    self.line(&format!("{register}: ptr = load ptr g3@pointer"));
                    self.pointers.push(register);
                }
                1 => {
                    let pointer = self.pointer();
                    self.line(&format!("store {pointer}, ptr g3@pointer"));
                }
                _ => {
                    let (register, value) = (self.register(), self.number());
                    self.line(&format!("{register}: ptr = alloca 4 align 4"));
                    self.line(&format!("store {value}, {register}"));
                    self.pointers.push(register);
                }
            },
            _ => {
                let callee = callees[self.random.below(callees.len() as u64) as usize];
                let (number, pointer, register) = (self.number(), self.pointer(), self.register());
                self.line(&format!("{register}: i32 = call fn{callee}({number}, {pointer})"));
                self.numbers.push(register);
            }
        }
    }

    fn edge(&mut self, blocks: u64) -> String {
        let block = 1 + self.random.below(blocks - 1);
        format!("bb{block}({})", self.number())
    }

    fn terminator(&mut self, blocks: u64) {
        match self.random.below(8) {
            0..4 => {
                let condition = self.condition();
                let (then, otherwise) = (self.edge(blocks), self.edge(blocks));
                self.line(&format!("branch {condition}, {then}, {otherwise}"));
            }
            4 => {
                let value = self.number();
                if value.starts_with('i') {
                    let edge = self.edge(blocks);
                    return self.line(&format!("jump {edge}"));
                }
                let [one, two, other] = [0; 3].map(|_| self.edge(blocks));
                let text =
                    format!("switch {value} {{ i32 1: {one}, i32 2: {two}, else: {other} }}");
                self.line(&text);
            }
            5 => {
                let edge = self.edge(blocks);
                self.line(&format!("jump {edge}"));
            }
            _ => {
                let value = self.number();
                self.line(&format!("return {value}"));
            }
        }
    }
}
