//! Float operations to text.
//!
//! Outside of an operation a float is the bit-vector that encodes it. What SMT-LIB does not have
//! is a function of ours, defined where it is first used.

use std::fmt::Write;

use super::print::Printer;
use crate::id::ExprId;
use crate::kind::{FloatClass, FloatKind, Kind};

/// The significand of x87 has its integer bit written out; SMT-LIB's has not.
const X87_TO_FP: &str = "(define-fun x87.to_fp ((v (_ BitVec 80))) (_ FloatingPoint 15 64) \
     ((_ to_fp 15 64) (concat ((_ extract 79 64) v) ((_ extract 62 0) v))))";

/// The integer bit is set unless the number is zero or subnormal.
const X87_TO_BV: &str = "(define-fun x87.to_bv ((v (_ FloatingPoint 15 64))) (_ BitVec 80) \
     (let ((f (fp.to_ieee_bv v))) (concat ((_ extract 78 63) f) \
     (concat (ite (= ((_ extract 77 63) f) #b000000000000000) #b0 #b1) ((_ extract 62 0) f)))))";

impl Printer<'_> {
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

    /// The text of a float operation.
    pub fn float_node(&mut self, e: ExprId) -> String {
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
            Kind::FToS | Kind::FToU => return self.integer(e),
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
    fn integer(&mut self, e: ExprId) -> String {
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
