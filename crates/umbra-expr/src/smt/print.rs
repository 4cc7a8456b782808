//! Expressions to text.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::Script;
use crate::id::{ArrayId, ExprId};
use crate::kind::Kind;
use crate::table::{Array, Expressions};

/// The script as text, with everything it needs declared before.
///
/// Panics on shadow pairs, which have no meaning there.
pub fn print(exprs: &Expressions, script: &Script) -> String {
    let mut printer = Printer::new(exprs);
    printer.out.push_str("(set-logic ALL)\n");
    let roots: Vec<ExprId> = script.assertions.iter().chain(&script.values).copied().collect();
    printer.define(&roots);
    for &assertion in &script.assertions {
        let text = printer.bool_text(assertion);
        let _ = writeln!(printer.out, "(assert {text})");
    }
    printer.out.push_str("(check-sat)\n");
    if !script.values.is_empty() {
        let values: Vec<String> = script.values.iter().map(|&e| printer.bits_text(e)).collect();
        let _ = writeln!(printer.out, "(get-value ({}))", values.join(" "));
    }
    printer.out
}

/// A single expression as text, shared parts repeated and arrays not declared.
///
/// For messages and tests: its size can be exponential in that of the expression.
pub fn term_text(exprs: &Expressions, e: ExprId) -> String {
    let mut printer = Printer::new(exprs);
    printer.inline = true;
    printer.walk(&[e]);
    printer.texts.get(&e).cloned().unwrap_or_default()
}

/// A text longer than this is given a name, so that lines stay readable.
const LONG: usize = 200;

pub(super) struct Printer<'a> {
    pub exprs: &'a Expressions,
    pub out: String,
    /// How to write an expression that was visited: in full, or its name.
    texts: HashMap<ExprId, String>,
    uses: HashMap<ExprId, u32>,
    declared: HashSet<ArrayId>,
    /// Functions of ours that are defined.
    pub announced: HashSet<String>,
    /// Names nothing.
    pub inline: bool,
}

/// Whether an expression of one bit is printed as a truth value.
pub(super) fn is_boolean(exprs: &Expressions, e: ExprId) -> bool {
    let kind = exprs.kind(e);
    kind.is_predicate()
        || exprs.width(e) == 1
            && matches!(kind, Kind::Not | Kind::And | Kind::Or | Kind::Xor | Kind::Ite)
}

/// A symbol, quoted when it must be.
fn symbol(name: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    if name.chars().all(plain) && name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        name.to_owned()
    } else {
        format!("|{name}|")
    }
}

impl<'a> Printer<'a> {
    fn new(exprs: &'a Expressions) -> Self {
        Self {
            exprs,
            out: String::new(),
            texts: HashMap::new(),
            uses: HashMap::new(),
            declared: HashSet::new(),
            announced: HashSet::new(),
            inline: false,
        }
    }

    /// Defines what the roots share.
    fn define(&mut self, roots: &[ExprId]) {
        let mut stack = roots.to_vec();
        let mut seen = HashSet::new();
        while let Some(e) = stack.pop() {
            *self.uses.entry(e).or_default() += 1;
            if seen.insert(e) {
                stack.extend(self.exprs.operands(e).iter());
            }
        }
        self.walk(roots);
    }

    /// Makes the texts of all expressions below the roots, operands first.
    fn walk(&mut self, roots: &[ExprId]) {
        let mut stack = roots.to_vec();
        while let Some(&e) = stack.last() {
            if self.texts.contains_key(&e) {
                stack.pop();
                continue;
            }
            let operands = self.exprs.operands(e);
            let before = stack.len();
            stack.extend(operands.iter().rev().filter(|o| !self.texts.contains_key(o)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            let text = self.node(e);
            let leaf = matches!(self.exprs.kind(e), Kind::Constant | Kind::Array | Kind::Update);
            let shared = self.uses.get(&e).is_some_and(|&uses| uses > 1) || text.len() > LONG;
            let text = if leaf || self.inline || !shared || self.exprs.as_symbol(e).is_some() {
                text
            } else {
                let sort = if is_boolean(self.exprs, e) {
                    "Bool".to_owned()
                } else {
                    format!("(_ BitVec {})", self.exprs.width(e))
                };
                let _ = writeln!(self.out, "(define-fun ${e} () {sort} {text})");
                format!("${e}")
            };
            self.texts.insert(e, text);
        }
    }

    /// The text as a bit-vector.
    pub fn bits_text(&self, e: ExprId) -> String {
        let text = &self.texts[&e];
        if is_boolean(self.exprs, e) { format!("(ite {text} #b1 #b0)") } else { text.clone() }
    }

    /// The text as a truth value.
    fn bool_text(&self, e: ExprId) -> String {
        if let Some(value) = self.exprs.constant_u64(e) {
            return (if value == 1 { "true" } else { "false" }).to_owned();
        }
        let text = &self.texts[&e];
        if is_boolean(self.exprs, e) { text.clone() } else { format!("(= {text} #b1)") }
    }

    fn node(&mut self, e: ExprId) -> String {
        let x = self.exprs;
        let operands = x.operands(e);
        let width = x.width(e);
        let kind = x.kind(e);
        let smt = kind.info().smt;
        match kind {
            Kind::Constant => x.constant_bits(e).map(|value| value.to_string()).unwrap_or_default(),
            Kind::Array => self.declare(x.array_of(e)),
            Kind::Update => self.declare_update(e),
            Kind::Read => {
                let (array, index) = (&self.texts[&operands[0]], &self.texts[&operands[1]]);
                if x.as_symbol(e).is_some() {
                    format!("(select {array} {index})")
                } else if x.kind(operands[0]) == Kind::Update {
                    format!("({array} {index})")
                } else {
                    format!("({} {index})", at_name(x, x.array_of(operands[0])))
                }
            }
            Kind::Not if width == 1 => format!("(not {})", self.bool_text(operands[0])),
            Kind::And | Kind::Or | Kind::Xor if width == 1 => {
                let (a, b) = (self.bool_text(operands[0]), self.bool_text(operands[1]));
                format!("({} {a} {b})", kind.info().name)
            }
            Kind::Ite => {
                let condition = self.bool_text(operands[0]);
                let branch = |e| if width == 1 { self.bool_text(e) } else { self.bits_text(e) };
                format!("(ite {condition} {} {})", branch(operands[1]), branch(operands[2]))
            }
            Kind::Extract => {
                let low = x.extract_low(e);
                let high = low + width - 1;
                format!("((_ extract {high} {low}) {})", self.bits_text(operands[0]))
            }
            Kind::ZExt | Kind::SExt => {
                let more = width - x.width(operands[0]);
                format!("((_ {smt} {more}) {})", self.bits_text(operands[0]))
            }
            Kind::Pair => panic!("shadow pair {e} has no SMT-LIB text"),
            kind if kind.is_float() => self.float_node(e),
            _ => {
                let mut text = format!("({smt}");
                for &operand in operands.iter() {
                    text.push(' ');
                    text.push_str(&self.bits_text(operand));
                }
                text.push(')');
                text
            }
        }
    }

    /// Declares an array and the function that reads it; the name of the array.
    fn declare(&mut self, array: ArrayId) -> String {
        let name = array_name(self.exprs, array);
        if self.inline || !self.declared.insert(array) {
            return name;
        }
        let at = at_name(self.exprs, array);
        match self.exprs.array(array) {
            Array::Input { size, .. } => {
                let _ = writeln!(
                    self.out,
                    "(set-info :umbra-input \"{size} {}\")",
                    name.trim_matches('|')
                );
                let _ = writeln!(
                    self.out,
                    "(declare-fun {name} () (Array (_ BitVec 64) (_ BitVec 8)))"
                );
                let _ = writeln!(
                    self.out,
                    "(define-fun {at} ((i (_ BitVec 64))) (_ BitVec 8) \
                     (ite (bvult i #x{size:016x}) (select {name} i) #x00))"
                );
            }
            Array::Table(bytes) => {
                let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(self.out, "(set-info :umbra-table \"{hex} {name}\")");
                let tree = mux_tree(bytes);
                let _ =
                    writeln!(self.out, "(define-fun {at} ((i (_ BitVec 64))) (_ BitVec 8) {tree})");
            }
        }
        name
    }

    /// Defines the function that reads an updated array; its name.
    fn declare_update(&mut self, e: ExprId) -> String {
        let x = self.exprs;
        let operands = x.operands(e);
        let array = &self.texts[&operands[0]];
        let (index, value) = (self.bits_text(operands[1]), self.bits_text(operands[2]));
        if self.inline {
            return format!("(store {array} {index} {value})");
        }
        let below = if x.kind(operands[0]) == Kind::Update {
            array.clone()
        } else {
            at_name(x, x.array_of(operands[0]))
        };
        let name = format!("${e}.at");
        let _ = writeln!(self.out, "(set-info :umbra-update {name})");
        let _ = writeln!(
            self.out,
            "(define-fun {name} ((i (_ BitVec 64))) (_ BitVec 8) \
             (ite (= i {index}) {value} ({below} i)))"
        );
        name
    }
}

fn array_name(exprs: &Expressions, array: ArrayId) -> String {
    match exprs.array(array) {
        Array::Input { name, .. } => symbol(name),
        Array::Table(_) => format!("${array}"),
    }
}

/// The function that reads an array and is zero beyond its end.
fn at_name(exprs: &Expressions, array: ArrayId) -> String {
    match exprs.array(array) {
        Array::Input { name, .. } => symbol(&format!("{name}.at")),
        Array::Table(_) => format!("${array}.at"),
    }
}

/// A choice by the highest bit of the index, then the next, down to the bytes; equal halves are
/// one.
fn mux_tree(bytes: &[u8]) -> String {
    let levels = bytes.len().next_power_of_two().trailing_zeros();
    let tree = mux_level(bytes, levels);
    if levels == 64 {
        return tree;
    }
    format!("(ite (= ((_ extract 63 {levels}) i) (_ bv0 {})) {tree} #x00)", 64 - levels)
}

fn mux_level(bytes: &[u8], level: u32) -> String {
    let first = bytes.first().copied().unwrap_or(0);
    // Beyond the end everything is zero.
    if level == 0
        || bytes.is_empty()
        || bytes.len() == 1 << level && bytes.iter().all(|&byte| byte == first)
    {
        return format!("#x{first:02x}");
    }
    let bit = level - 1;
    let middle = bytes.len().min(1 << bit);
    let (low, high) = (mux_level(&bytes[..middle], bit), mux_level(&bytes[middle..], bit));
    if low == high {
        return low;
    }
    format!("(ite (= ((_ extract {bit} {bit}) i) #b1) {high} {low})")
}
