//! Small C functions of two integers, and random edits of them, as a patch would make them.
//!
//! Most edits change what a function does on some inputs, some on none; which is for the native builds to say.
//! The functions have conditions, loops, switches, early returns, an array, a struct, a static variable and helper
//! functions. Left out, since the shapes of [`super`] are not written for two versions: pointers into the heap, files, text, floats,
//! recursion, `goto`, variadic functions. `tests/unify` has those by hand.

mod text;

use super::lots::Lots;

/// Local variables, besides the two inputs.
const VARIABLES: usize = 3;
/// Fields of the struct, and elements of the array.
const FIELDS: usize = 3;
/// Helper functions.
const HELPERS: usize = 2;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(i64),
    Input(char),
    Variable(usize),
    Field(usize),
    Element(Box<Value>),
    Binary(&'static str, Box<Value>, Box<Value>),
    Choice(Box<Condition>, Box<Value>, Box<Value>),
    Helper(usize, Box<Value>),
}

#[derive(Clone, Debug, PartialEq)]
enum Condition {
    Compare(&'static str, Value, Value),
    Both(Box<Condition>, Box<Condition>),
    Either(Box<Condition>, Box<Condition>),
    Not(Box<Condition>),
}

#[derive(Clone, Debug, PartialEq)]
enum Statement {
    Assign(usize, &'static str, Value),
    Field(usize, Value),
    Element(Value, Value),
    Emit(Value),
    Count(Value),
    If(Condition, Vec<Statement>, Vec<Statement>),
    Loop(Value, Vec<Statement>),
    Break(Condition),
    Switch(Value, Vec<(i64, Vec<Statement>)>, Vec<Statement>),
    Return(Condition, Value),
}

/// A function with what it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Function {
    helpers: Vec<Helper>,
    /// The fields of the struct, in order; those above the known ones are of no use.
    fields: Vec<usize>,
    /// The first value of the static variable.
    count: i64,
    body: Vec<Statement>,
    result: Value,
}

#[derive(Clone, Debug, PartialEq)]
struct Helper {
    renamed: bool,
    /// It has a parameter that it does not read.
    more: bool,
    condition: Condition,
    then: Value,
    otherwise: Value,
}

/// A function and an edit of it.
pub fn pair(seed: u64) -> (Function, Function) {
    let mut lots = Lots::new(seed);
    let old = function(&mut lots);
    let mut new = old.clone();
    for _ in 0..1 + lots.below(3) {
        // An edit may find nothing to work on.
        for _ in 0..20 {
            let before = new.clone();
            edit(&mut new, &mut lots);
            if new != before {
                break;
            }
        }
    }
    (old, new)
}

fn function(lots: &mut Lots) -> Function {
    let helpers = (0..HELPERS).map(|_| Helper {
        renamed: false,
        more: false,
        condition: compare(lots, &mut |lots| leaf(lots, true)),
        then: arithmetic(lots, true),
        otherwise: arithmetic(lots, true),
    });
    let helpers = helpers.collect();
    let count = lots.below(3) as i64;
    let mut left = 3 + lots.below(5);
    let body = statements(lots, &mut left, 0, false);
    Function { helpers, fields: (0..FIELDS).collect(), count, body, result: value(lots, 2) }
}

/// Something without operators; a helper knows its parameter only.
fn leaf(lots: &mut Lots, in_helper: bool) -> Value {
    match lots.below(if in_helper { 6 } else { 10 }) {
        0..4 => Value::Input(if in_helper { 'x' } else { lots.one(&['x', 'y']) }),
        4..6 => Value::Number(lots.below(9) as i64 - 2),
        6 | 7 => Value::Variable(lots.below(VARIABLES)),
        8 => Value::Field(lots.below(FIELDS)),
        _ => Value::Element(Box::new(Value::Input(lots.one(&['x', 'y'])))),
    }
}

const OPERATORS: [&str; 6] = ["+", "-", "*", "&", "|", "^"];
const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

fn arithmetic(lots: &mut Lots, in_helper: bool) -> Value {
    let operator = lots.one(&OPERATORS);
    Value::Binary(operator, Box::new(leaf(lots, in_helper)), Box::new(leaf(lots, in_helper)))
}

fn value(lots: &mut Lots, depth: usize) -> Value {
    match lots.below(10) {
        0..4 if depth > 0 => Value::Binary(
            lots.one(&OPERATORS),
            Box::new(value(lots, depth - 1)),
            Box::new(leaf(lots, false)),
        ),
        4 if depth > 0 => {
            let condition = Box::new(compare(lots, &mut |lots| leaf(lots, false)));
            Value::Choice(condition, Box::new(leaf(lots, false)), Box::new(leaf(lots, false)))
        }
        5 if depth > 0 => Value::Helper(lots.below(HELPERS), Box::new(leaf(lots, false))),
        _ => leaf(lots, false),
    }
}

fn compare(lots: &mut Lots, side: &mut dyn FnMut(&mut Lots) -> Value) -> Condition {
    Condition::Compare(lots.one(&COMPARISONS), side(lots), Value::Number(lots.below(9) as i64 - 3))
}

fn condition(lots: &mut Lots) -> Condition {
    let one = |lots: &mut Lots| Box::new(compare(lots, &mut |lots| leaf(lots, false)));
    match lots.below(6) {
        0 => Condition::Both(one(lots), one(lots)),
        1 => Condition::Either(one(lots), one(lots)),
        2 => Condition::Not(one(lots)),
        3 => Condition::Compare(lots.one(&COMPARISONS), leaf(lots, false), leaf(lots, false)),
        _ => *one(lots),
    }
}

fn statements(lots: &mut Lots, left: &mut usize, depth: usize, in_loop: bool) -> Vec<Statement> {
    let mut all = Vec::new();
    while *left > 0 {
        *left -= 1;
        all.push(statement(lots, left, depth, in_loop));
        if depth > 0 && lots.percent(50) {
            break;
        }
    }
    all
}

fn statement(lots: &mut Lots, left: &mut usize, depth: usize, in_loop: bool) -> Statement {
    match lots.below(100) {
        0..20 if depth < 2 => {
            let condition = condition(lots);
            let then = statements(lots, left, depth + 1, in_loop);
            let otherwise = match lots.percent(40) {
                true => statements(lots, left, depth + 1, in_loop),
                false => Vec::new(),
            };
            Statement::If(condition, then, otherwise)
        }
        20..30 if depth < 2 && !in_loop => {
            let bound = match lots.percent(50) {
                true => Value::Number(1 + lots.below(3) as i64),
                false => Value::Input(lots.one(&['x', 'y'])),
            };
            Statement::Loop(bound, statements(lots, left, depth + 1, true))
        }
        30..40 if depth < 2 => {
            let cases = (0..2).map(|at| (at, statements(lots, left, depth + 1, false))).collect();
            let default = statements(lots, left, depth + 1, false);
            Statement::Switch(leaf(lots, false), cases, default)
        }
        40..46 if in_loop && depth > 0 => Statement::Break(condition(lots)),
        46..54 => Statement::Return(condition(lots), value(lots, 1)),
        54..62 => Statement::Field(lots.below(FIELDS), value(lots, 2)),
        62..70 => Statement::Element(leaf(lots, false), value(lots, 1)),
        70..78 => Statement::Emit(value(lots, 1)),
        78..82 => Statement::Count(leaf(lots, false)),
        _ => Statement::Assign(
            lots.below(VARIABLES),
            lots.one(&["=", "+=", "-=", "^="]),
            value(lots, 2),
        ),
    }
}

/// One edit.
fn edit(function: &mut Function, lots: &mut Lots) {
    match lots.below(16) {
        0 | 1 => some_value(function, lots, |value, lots| match value {
            Value::Number(number) => *number += lots.one(&[-1, 1, 2]),
            Value::Input(name) => *name = if *name == 'x' { 'y' } else { 'x' },
            Value::Variable(at) => *at = lots.below(VARIABLES),
            Value::Field(at) => *at = lots.below(FIELDS),
            Value::Binary(operator, ..) => *operator = lots.one(&OPERATORS),
            Value::Choice(_, then, otherwise) => std::mem::swap(then, otherwise),
            Value::Helper(at, _) => *at = lots.below(HELPERS),
            Value::Element(_) => {}
        }),
        2 => some_value(function, lots, |value, _| {
            if let Value::Binary(_, left, right) = value {
                std::mem::swap(left, right);
            }
        }),
        3 | 4 => some_condition(function, lots, |condition, lots| match condition {
            Condition::Compare(comparison, ..) => *comparison = lots.one(&COMPARISONS),
            Condition::Both(a, b) => *condition = Condition::Either(a.clone(), b.clone()),
            Condition::Either(a, b) => *condition = Condition::Both(a.clone(), b.clone()),
            Condition::Not(inner) => *condition = (**inner).clone(),
        }),
        5 => some_condition(function, lots, |condition, _| match condition {
            Condition::Both(a, b) | Condition::Either(a, b) => std::mem::swap(a, b),
            other => *other = Condition::Not(Box::new(other.clone())),
        }),
        6 => some_list(function, lots, |list, lots| {
            if !list.is_empty() {
                list.remove(lots.below(list.len()));
            }
        }),
        7 => some_list(function, lots, |list, lots| {
            if !list.is_empty() {
                let at = lots.below(list.len());
                list.insert(at, list[at].clone());
            }
        }),
        8 | 9 => some_list(function, lots, |list, lots| {
            if list.len() > 1 {
                let at = lots.below(list.len() - 1);
                list.swap(at, at + 1);
            }
        }),
        10 => some_list(function, lots, |list, lots| {
            let added = Statement::Return(condition(lots), leaf(lots, false));
            list.insert(lots.below(list.len() + 1), added);
        }),
        // A branch turned around: nothing changes.
        11 => some_list(function, lots, |list, _| {
            for statement in list {
                if let Statement::If(condition, then, otherwise) = statement {
                    std::mem::swap(then, otherwise);
                    *condition = Condition::Not(Box::new(condition.clone()));
                }
            }
        }),
        12 => {
            let at = lots.below(HELPERS);
            function.helpers[at].renamed = true;
        }
        13 => {
            let at = lots.below(HELPERS);
            function.helpers[at].more = true;
        }
        14 => {
            let at = lots.below(function.fields.len() + 1);
            function.fields.insert(at, function.fields.len());
        }
        _ => function.count += 1,
    }
    // Helpers know their first parameter only.
    for helper in &mut function.helpers {
        helper.values(&mut |value| {
            if *value == Value::Input('y') {
                *value = Value::Input('x');
            }
        });
    }
}

fn some_value(function: &mut Function, lots: &mut Lots, edit: impl Fn(&mut Value, &mut Lots)) {
    let mut count = 0;
    function.values(&mut |_| count += 1);
    let chosen = lots.below(count.max(1));
    let mut at = 0;
    function.values(&mut |value| {
        if at == chosen {
            edit(value, lots);
        }
        at += 1;
    });
}

fn some_condition(
    function: &mut Function,
    lots: &mut Lots,
    edit: impl Fn(&mut Condition, &mut Lots),
) {
    let mut count = 0;
    function.conditions(&mut |_| count += 1);
    let chosen = lots.below(count.max(1));
    let mut at = 0;
    function.conditions(&mut |condition| {
        if at == chosen {
            edit(condition, lots);
        }
        at += 1;
    });
}

fn some_list(
    function: &mut Function,
    lots: &mut Lots,
    edit: impl Fn(&mut Vec<Statement>, &mut Lots),
) {
    let mut count = 0;
    each_list(&mut function.body, &mut |_| count += 1);
    let chosen = lots.below(count);
    let mut at = 0;
    each_list(&mut function.body, &mut |list| {
        if at == chosen {
            edit(list, lots);
        }
        at += 1;
    });
}

/// All lists of statements, a list before those in it.
fn each_list(list: &mut Vec<Statement>, visit: &mut dyn FnMut(&mut Vec<Statement>)) {
    visit(list);
    for statement in list {
        match statement {
            Statement::If(_, then, otherwise) => {
                each_list(then, visit);
                each_list(otherwise, visit);
            }
            Statement::Loop(_, body) => each_list(body, visit),
            Statement::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|(_, body)| each_list(body, visit));
                each_list(default, visit);
            }
            _ => {}
        }
    }
}

impl Function {
    /// All values, and those in them.
    fn values(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.helpers.iter_mut().for_each(|helper| helper.values(visit));
        each_list(&mut self.body, &mut |list| {
            for statement in list {
                statement.own(&mut |value| value.values(visit), &mut |_| {});
                statement.own(&mut |_| {}, &mut |condition| condition.values(visit));
            }
        });
        self.result.values(visit);
    }

    /// All conditions of statements, and those in them.
    fn conditions(&mut self, visit: &mut dyn FnMut(&mut Condition)) {
        self.helpers.iter_mut().for_each(|helper| helper.condition.all(visit));
        each_list(&mut self.body, &mut |list| {
            for statement in list {
                statement.own(&mut |_| {}, &mut |condition| condition.all(visit));
            }
        });
    }
}

impl Helper {
    fn values(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.condition.values(visit);
        self.then.values(visit);
        self.otherwise.values(visit);
    }
}

impl Statement {
    /// Its own values and conditions.
    fn own(
        &mut self,
        value: &mut dyn FnMut(&mut Value),
        condition: &mut dyn FnMut(&mut Condition),
    ) {
        match self {
            Self::Assign(_, _, v) | Self::Field(_, v) | Self::Emit(v) | Self::Count(v) => value(v),
            Self::Element(a, b) => {
                value(a);
                value(b);
            }
            Self::If(c, ..) | Self::Break(c) => condition(c),
            Self::Loop(v, _) | Self::Switch(v, ..) => value(v),
            Self::Return(c, v) => {
                condition(c);
                value(v);
            }
        }
    }
}

impl Condition {
    fn all(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match self {
            Self::Both(a, b) | Self::Either(a, b) => {
                a.all(visit);
                b.all(visit);
            }
            Self::Not(inner) => inner.all(visit),
            Self::Compare(..) => {}
        }
    }

    fn values(&mut self, visit: &mut dyn FnMut(&mut Value)) {
        self.all(&mut |condition| {
            if let Self::Compare(_, left, right) = condition {
                left.values(visit);
                right.values(visit);
            }
        });
    }
}

impl Value {
    fn values(&mut self, visit: &mut dyn FnMut(&mut Self)) {
        visit(self);
        match self {
            Self::Binary(_, left, right) => {
                left.values(visit);
                right.values(visit);
            }
            Self::Choice(condition, then, otherwise) => {
                condition.values(visit);
                then.values(visit);
                otherwise.values(visit);
            }
            Self::Helper(_, inner) | Self::Element(inner) => inner.values(visit),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_seeds_make_equal_pairs_and_edits_change_something() {
        assert_eq!(pair(3), pair(3));
        let changed = (0..200).filter(|&seed| {
            let (old, new) = pair(seed);
            old.text("f") != new.text("f")
        });
        assert!(changed.count() >= 195);
    }

    #[test]
    fn every_kind_of_edit_is_in_some_pair() {
        let texts: Vec<(String, String)> = (0..300)
            .map(|seed| {
                let (old, new) = pair(seed);
                (old.text("f"), new.text("f"))
            })
            .collect();
        for word in ["_now(", "int more", "f3", "switch (", "break;", "!(", "count = 3", "for ("] {
            assert!(texts.iter().any(|(_, new)| new.contains(word)), "no new version has {word}");
        }
        let grows = texts.iter().filter(|(old, new)| new.lines().count() > old.lines().count());
        let shrinks = texts.iter().filter(|(old, new)| new.lines().count() < old.lines().count());
        assert!(grows.count() > 20 && shrinks.count() > 10);
    }
}
