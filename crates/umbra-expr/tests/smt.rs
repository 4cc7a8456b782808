//! Scripts print and parse.

use umbra_expr::smt::{self, SmtError};
use umbra_expr::{Assignment, Evaluator, Expressions};

fn values(text: &str) -> Vec<u64> {
    let mut exprs = Expressions::new();
    let script = smt::parse(&mut exprs, text).expect("a script");
    let assignment = Assignment::new();
    let mut evaluator = Evaluator::new();
    let mut run = evaluator.run(&exprs, &assignment);
    script.values.iter().map(|&e| run.value_u64(e)).collect()
}

#[test]
fn ordinary_scripts_are_read() {
    let mut exprs = Expressions::new();
    let text = "
        (set-logic QF_ABV)
        (declare-fun x () (_ BitVec 32))
        (declare-const mem (Array (_ BitVec 16) (_ BitVec 8)))
        (define-fun twice ((v (_ BitVec 32))) (_ BitVec 32) (bvadd v v))
        (assert (! (= (twice x) #x00000008) :named first))
        (assert (let ((y (bvsub x #x00000001)) (x #x00000003)) (bvult y (bvadd x y))))
        (assert (=> (distinct x #x00000004) (= (select (store mem #x0001 #x41) #x0001) #x42)))
        (check-sat)";
    let script = smt::parse(&mut exprs, text).expect("a script");
    assert_eq!(script.assertions.len(), 3);
    let mut assignment = Assignment::new();
    assignment.set(exprs.find_input("x").expect("x"), 0, 4);
    let mut evaluator = Evaluator::new();
    let mut run = evaluator.run(&exprs, &assignment);
    assert!(script.assertions.iter().all(|&assertion| run.is_true(assertion)));
}

#[test]
fn operators_mean_what_the_standard_says() {
    let text = "(get-value (
        (bvsmod #xf9 #x03) (bvsrem #xf9 #x03) (bvsdiv #xf9 #x03) (bvudiv #x07 #x00)
        ((_ rotate_left 4) #x1f) ((_ rotate_right 1) #x01) ((_ repeat 2) #xa) (bvcomp #x1 #x1)
        (bvnand #xf #x3) (bvnor #x8 #x3) (bvxnor #x5 #x3) (concat #x1 #x2 #x3) (_ bv300 8)))";
    let expected = [2, 0xff, 0xfe, 0xff, 0xf1, 0x80, 0xaa, 1, 0xc, 0x4, 0x9, 0x123, 44];
    assert_eq!(values(text), expected);
}

#[test]
fn floats_are_read() {
    let text = "(get-value (
        ((_ fp.to_sbv 32) RTZ (fp.add RNE ((_ to_fp 8 24) RNE 1.5) ((_ to_fp 8 24) RNE 2.25)))
        (fp.lt (_ -oo 11 53) (_ -zero 11 53)) (fp.isNaN (_ NaN 5 11))
        (fp #b0 #b10000 #b0000000000) (fp.eq (_ +zero 8 24) (_ -zero 8 24))
        ((_ fp.to_ubv 8) RTZ (fp.roundToIntegral RTP ((_ to_fp 15 64) RNE 2.5)))))";
    assert_eq!(values(text), [3, 1, 1, 0x4000, 1, 3]);
}

#[test]
fn problems_name_the_line() {
    let mut exprs = Expressions::new();
    let mut error = |text: &str| smt::parse(&mut exprs, text).expect_err("an error").to_string();
    assert_eq!(error("(check-sat)\n(assert x)"), "line 2: unknown symbol x");
    assert_eq!(
        error("(assert (bvult #x1 #x12))"),
        "line 1: expected bit-vectors of the same width"
    );
    assert_eq!(error("(push 1)"), "line 1: an incremental script is not supported");
    assert_eq!(error("(assert (= #x1"), "line 1: text ends within what starts here");
    for text in
        ["(assert)", "()", "(let)", "(assert ())", "(assert (let ((x)) x))", "(assert (_ a))"]
    {
        error(text);
    }
    let deep = "(assert ".to_owned() + &"(not ".repeat(100_000) + "x" + &")".repeat(100_001);
    let unknown = SmtError::UnknownSymbol { line: 1, name: "x".into() };
    assert_eq!(smt::parse(&mut exprs, &deep), Err(unknown));
}

#[test]
fn sharing_keeps_the_text_small() {
    let mut exprs = Expressions::new();
    let input = exprs.input("in", 2);
    let (x, y) = (exprs.byte(input, 0), exprs.byte(input, 1));
    let mut e = x;
    for _ in 0..100 {
        let quotient = exprs.udiv(e, y);
        let product = exprs.mul(quotient, e);
        e = exprs.xor(product, e);
    }
    let script = smt::Script { assertions: Vec::new(), values: vec![e] };
    let text = smt::print(&exprs, &script);
    assert!(text.len() < 30_000, "{}", text.len());
    assert_eq!(smt::parse(&mut exprs, &text), Ok(script));
}
