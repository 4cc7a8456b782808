//! Expressions to text.

use std::collections::{HashMap, HashSet};
use std::fmt::Write;

use super::Script;
use crate::id::{ArrayId, ExprId};
use crate::kind::{FloatClass, FloatKind, Kind};
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

/// The significand of x87 has its integer bit written out; SMT-LIB's has not.
const X87_TO_FP: &str = "(define-fun x87.to_fp ((v (_ BitVec 80))) (_ FloatingPoint 15 64) \
     ((_ to_fp 15 64) (concat ((_ extract 79 64) v) ((_ extract 62 0) v))))";

/// The integer bit is set unless the number is zero or subnormal.
const X87_TO_BV: &str = "(define-fun x87.to_bv ((v (_ FloatingPoint 15 64))) (_ BitVec 80) \
     (let ((f (fp.to_ieee_bv v))) (concat ((_ extract 78 63) f) \
     (concat (ite (= ((_ extract 77 63) f) #b000000000000000) #b0 #b1) ((_ extract 62 0) f)))))";

/// A text longer than this is given a name, so that lines stay readable.
const LONG: usize = 200;

struct Printer<'a> {
    exprs: &'a Expressions,
    out: String,
    /// How to write an expression that was visited: in full, or its name.
    texts: HashMap<ExprId, String>,
    uses: HashMap<ExprId, u32>,
    declared: HashSet<ArrayId>,
    /// Functions of ours that are defined.
    announced: HashSet<String>,
    /// Names nothing.
    inline: bool,
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
    fn bits_text(&self, e: ExprId) -> String {
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

    /// The text as a float.
    fn float_text(&mut self, e: ExprId) -> String {
        let kind = FloatKind::of_width(self.exprs.width(e)).expect("floats have such widths");
        let bits = self.bits_text(e);
        if kind == FloatKind::X87 {
            self.announce("x87.to_fp", X87_TO_FP);
        }
        float_of(kind, &bits)
    }

    /// A float as the bit-vector that encodes it.
    fn encoded(&mut self, width: u32, float: &str) -> String {
        if width == FloatKind::X87.bits() {
            self.announce("x87.to_bv", X87_TO_BV);
            return format!("(x87.to_bv {float})");
        }
        format!("(fp.to_ieee_bv {float})")
    }

    /// Defines a function of ours, once.
    fn announce(&mut self, name: &str, definition: &str) {
        if self.inline || !self.announced.insert(name.to_owned()) {
            return;
        }
        let _ = writeln!(self.out, "(set-info :umbra-float {name})\n{definition}");
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

    fn float_node(&mut self, e: ExprId) -> String {
        let x = self.exprs;
        let operands = x.operands(e);
        let (kind, width) = (x.kind(e), x.width(e));
        let smt = kind.info().smt;
        let float = match kind {
            Kind::FMin | Kind::FMax | Kind::FRem => return self.own_function(e),
            Kind::FIsClass => return self.classes(e),
            Kind::SToF | Kind::UToF | Kind::FToF => {
                let format = FloatKind::of_width(width).expect("floats have such widths");
                let operand = match kind {
                    Kind::FToF => self.float_text(operands[0]),
                    _ => self.bits_text(operands[0]),
                };
                let (exponent, precision) = (format.exponent_bits(), format.precision());
                format!("((_ {smt} {exponent} {precision}) RNE {operand})")
            }
            Kind::FRoundEven | Kind::FFloor | Kind::FCeil | Kind::FTrunc | Kind::FRoundAway => {
                format!("(fp.roundToIntegral {smt} {})", self.float_text(operands[0]))
            }
            Kind::FToS | Kind::FToU => return self.to_integer(e),
            _ => {
                let mut text = format!("({smt}");
                if !kind.is_predicate() {
                    text.push_str(" RNE");
                }
                for &operand in operands.iter() {
                    text.push(' ');
                    text.push_str(&self.float_text(operand));
                }
                text + ")"
            }
        };
        if kind.is_predicate() { float } else { self.encoded(width, &float) }
    }

    /// Minimum, maximum (a NaN loses) and remainder, which SMT-LIB does not have like this.
    fn own_function(&mut self, e: ExprId) -> String {
        let operands = self.exprs.operands(e);
        let width = self.exprs.width(e);
        let (function, order) = match self.exprs.kind(e) {
            Kind::FMin => ("fmin", "fp.lt"),
            Kind::FMax => ("fmax", "fp.gt"),
            _ => ("fmod", ""),
        };
        let name = format!("{function}.{width}");
        let sort = format!("(_ BitVec {width})");
        let definition = if order.is_empty() {
            format!("(declare-fun {name} ({sort} {sort}) {sort})")
        } else {
            // As floats, by way of the text of the operands under other names.
            let format = FloatKind::of_width(width).expect("floats have such widths");
            let float = |name: &str| match format {
                FloatKind::X87 => format!("(x87.to_fp {name})"),
                _ => {
                    format!("((_ to_fp {} {}) {name})", format.exponent_bits(), format.precision())
                }
            };
            let (a, b) = (float("a"), float("b"));
            format!(
                "(define-fun {name} ((a {sort}) (b {sort})) {sort} \
                 (ite (and (not (fp.isNaN {a})) (or (fp.isNaN {b}) ({order} {a} {b}))) a b))"
            )
        };
        if width == FloatKind::X87.bits() {
            self.announce("x87.to_fp", X87_TO_FP);
        }
        self.announce(&name, &definition);
        format!("({name} {} {})", self.bits_text(operands[0]), self.bits_text(operands[1]))
    }

    /// A conversion to an integer, by a function of ours: SMT-LIB leaves open what is out of range.
    fn to_integer(&mut self, e: ExprId) -> String {
        let operand = self.exprs.operand(e, 0);
        let (from, width, kind) =
            (self.exprs.width(operand), self.exprs.width(e), self.exprs.kind(e));
        let format = FloatKind::of_width(from).expect("floats have such widths");
        if format == FloatKind::X87 {
            self.announce("x87.to_fp", X87_TO_FP);
        }
        let name = format!("{}.{from}.{width}", kind.info().name);
        let body = integer_cut(format, width, kind);
        let definition =
            format!("(define-fun {name} ((v (_ BitVec {from}))) (_ BitVec {width}) {body})");
        self.announce(&name, &definition);
        format!("({name} {})", self.bits_text(operand))
    }

    /// A class test, by a function of ours: SMT-LIB has no sets of classes.
    fn classes(&mut self, e: ExprId) -> String {
        let operand = self.exprs.operand(e, 0);
        let (width, classes) = (self.exprs.width(operand), self.exprs.float_classes(e));
        let format = FloatKind::of_width(width).expect("floats have such widths");
        if format == FloatKind::X87 {
            self.announce("x87.to_fp", X87_TO_FP);
        }
        let name = format!("fclass.{width}.{classes}");
        let tests = class_tests(format, classes);
        let definition = format!("(define-fun {name} ((v (_ BitVec {width}))) Bool {tests})");
        self.announce(&name, &definition);
        format!("({name} {})", self.bits_text(operand))
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

/// The float with this encoding.
fn float_of(format: FloatKind, bits: &str) -> String {
    if format == FloatKind::X87 {
        return format!("(x87.to_fp {bits})");
    }
    format!("((_ to_fp {} {}) {bits})", format.exponent_bits(), format.precision())
}

/// Whether the float encoded by `v` is in one of the classes.
fn class_tests(format: FloatKind, classes: u32) -> String {
    let float = float_of(format, "v");
    let mut parts = Vec::new();
    if classes & FloatClass::NAN == FloatClass::NAN {
        parts.push(format!("(fp.isNaN {float})"));
    } else if classes & FloatClass::NAN != 0 {
        // The highest bit of the fraction tells them apart.
        let bit = format.precision() - 2;
        let quiet = u32::from(classes & FloatClass::QUIET_NAN != 0);
        parts.push(format!("(and (fp.isNaN {float}) (= ((_ extract {bit} {bit}) v) #b{quiet}))"));
    }
    let pairs = [
        (FloatClass::NEGATIVE_INFINITY, FloatClass::POSITIVE_INFINITY, "fp.isInfinite"),
        (FloatClass::NEGATIVE_NORMAL, FloatClass::POSITIVE_NORMAL, "fp.isNormal"),
        (FloatClass::NEGATIVE_SUBNORMAL, FloatClass::POSITIVE_SUBNORMAL, "fp.isSubnormal"),
        (FloatClass::NEGATIVE_ZERO, FloatClass::POSITIVE_ZERO, "fp.isZero"),
    ];
    for (negative, positive, name) in pairs {
        let test = format!("({name} {float})");
        match (classes & negative != 0, classes & positive != 0) {
            (true, true) => parts.push(test),
            (true, false) => parts.push(format!("(and {test} (fp.isNegative {float}))")),
            (false, true) => parts.push(format!("(and {test} (fp.isPositive {float}))")),
            (false, false) => {}
        }
    }
    match parts.len() {
        0 => "false".to_owned(),
        1 => parts.remove(0),
        _ => format!("(or {})", parts.join(" ")),
    }
}

/// The float encoded by `v`, cut to an integer as x86 does it: signed with 32, 64 or 128 bits, the
/// least number when out of range; unsigned by way of 64 signed bits, unless in range of more.
fn integer_cut(format: FloatKind, width: u32, kind: Kind) -> String {
    let float = float_of(format, "v");
    let sort = format!("{} {}", format.exponent_bits(), format.precision());
    let whole = format!("(fp.roundToIntegral RTZ {float})");
    let power = |bits: u32| {
        // Twice the largest power that fits, for the one that does not.
        let power = format!("((_ to_fp {sort}) RNE {}.0)", 1u128 << bits.min(127));
        match bits {
            128 => format!("(fp.add RNE {power} {power})"),
            _ => power,
        }
    };
    let finite = format!("(not (fp.isNaN {float})) (not (fp.isInfinite {float}))");
    let signed = |machine: u32| {
        let (end, least) = (power(machine - 1), format!("(fp.neg {})", power(machine - 1)));
        format!(
            "(ite (and {finite} (fp.leq {least} {whole}) (fp.lt {whole} {end})) \
             ((_ fp.to_sbv {machine}) RTZ {float}) (concat #b1 (_ bv0 {})))",
            machine - 1
        )
    };
    let low = |text: String, from: u32| match from {
        _ if from == width => text,
        _ if from < width => format!("((_ sign_extend {}) {text})", width - from),
        _ => format!("((_ extract {} 0) {text})", width - 1),
    };
    if kind == Kind::FToS {
        let machine = match width {
            ..=32 => 32,
            33..=64 => 64,
            _ => 128,
        };
        return low(signed(machine), machine);
    }
    let through_signed = low(signed(64), 64);
    if width < 64 {
        return through_signed;
    }
    let zero = format!("((_ to_fp {sort}) RNE 0.0)");
    format!(
        "(ite (and {finite} (fp.leq {zero} {whole}) (fp.lt {whole} {})) \
         ((_ fp.to_ubv {width}) RTZ {float}) {through_signed})",
        power(width)
    )
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
