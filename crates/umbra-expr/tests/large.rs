//! Expressions that are large in just the wrong way are built in time and without the stack.

use umbra_expr::{Assignment, Evaluator, ExprId, Expressions};

fn value(exprs: &Expressions, e: ExprId) -> u64 {
    Evaluator::new().run(exprs, &Assignment::new()).value_u64(e)
}

#[test]
fn long_chains_of_choices() {
    let mut x = Expressions::new();
    let input = x.input("in", 2);
    let (a, b) = (x.byte(input, 0), x.byte(input, 1));
    let mut e = b;
    for round in 0..20_000 {
        let key = x.constant(8, round % 251);
        let condition = x.eq(a, key);
        let value = x.constant(8, round % 13 + 1);
        e = x.ite(condition, value, e);
    }
    let wide = x.zext(e, 32);
    let byte = x.extract(wide, 0, 8);
    let zero = x.constant(8, 0);
    let equal = x.eq(byte, zero);
    assert_eq!(value(&x, equal), 0);
}

#[test]
fn wide_concatenations() {
    let mut x = Expressions::new();
    let input = x.input("in", 3_000);
    let mut e = x.byte(input, 0);
    for offset in 1..3_000 {
        let byte = x.byte(input, offset);
        e = x.concat(byte, e);
    }
    let width = x.width(e);
    let zero = x.constant(width, 0);
    let equal = x.eq(e, zero);
    assert_eq!(value(&x, equal), 1);
    let middle = x.extract(e, 8 * 1_500, 8);
    assert_eq!(x.as_symbol(middle), Some((input, 1_500)));
    let mask = x.constant(width, 0xff00);
    let masked = x.and(e, mask);
    let less = x.ult(masked, mask);
    assert_eq!(value(&x, less), 1);
}

#[test]
fn long_sums_and_logic() {
    let mut x = Expressions::new();
    let input = x.input("in", 10_000);
    let mut sum = x.constant(32, 7);
    let mut all = x.true_();
    for offset in 0..10_000 {
        let byte = x.byte(input, offset);
        let wide = x.zext(byte, 32);
        sum = x.add(sum, wide);
        let limit = x.constant(8, 200);
        let below = x.ult(byte, limit);
        all = x.and(all, below);
    }
    let none = x.not(all);
    let narrow = x.extract(sum, 0, 8);
    assert_eq!((value(&x, sum), value(&x, none), value(&x, narrow)), (7, 0, 7));
    let seven = x.constant(32, 7);
    let equal = x.eq(sum, seven);
    assert_eq!(value(&x, equal), 1);
}
