//! Text to expressions.
//!
//! Besides what is printed, ordinary scripts are read: declared bit-vectors, truth values, floats
//! and arrays of bytes, definitions with parameters, `let`. A declared bit-vector becomes an input
//! of as many bytes as it needs, least significant first.

use std::collections::HashMap;

use umbra_text::from_hex;

use super::lex::{Node, Sexp, read};
use super::terms::{Value, apply};
use super::{Script, SmtError};
use crate::id::ExprId;
use crate::kind::FloatKind;
use crate::table::{Expressions, INDEX_WIDTH};

/// Reads a script and builds its assertions.
pub fn parse(exprs: &mut Expressions, text: &str) -> Result<Script, SmtError> {
    let commands = read(text)?;
    let mut parser = Parser {
        exprs,
        globals: HashMap::new(),
        locals: Vec::new(),
        base: 0,
        sizes: HashMap::new(),
        script: Script::default(),
    };
    for command in &commands {
        parser.command(command)?;
    }
    Ok(parser.script)
}

/// What a name of the script stands for.
#[derive(Clone)]
enum Global<'a> {
    Value(Value),
    /// A definition with parameters: their names, and the body.
    Macro(Vec<&'a str>, &'a Sexp),
    /// Reads this array; zero beyond its end.
    ReadOf(ExprId),
    /// An updated array is to be defined under this name.
    Announced,
    /// One of our functions on floats, by its name.
    Own,
}

struct Parser<'a, 'e> {
    exprs: &'e mut Expressions,
    globals: HashMap<String, Global<'a>>,
    locals: Vec<(&'a str, Value)>,
    /// Locals below are those of a caller and not seen.
    base: usize,
    /// Announced sizes of inputs.
    sizes: HashMap<String, u32>,
    script: Script,
}

enum Sort {
    Bool,
    Bits(u32),
    Float(FloatKind),
    /// Of bytes, with this index width.
    Array(u32),
}

/// What is left to do when evaluating a term.
enum Task<'a> {
    Evaluate(&'a Sexp),
    Apply(&'a [Sexp], u32),
    Bind(&'a [Sexp]),
    /// Back to this many locals and this base.
    Leave(usize, usize),
}

impl<'a> Parser<'a, '_> {
    fn command(&mut self, command: &'a Sexp) -> Result<(), SmtError> {
        let line = command.line;
        let wrong = |expected| SmtError::Expected { line, expected };
        let items = command.list().ok_or(wrong("a command"))?;
        let name = items.first().and_then(Sexp::atom).ok_or(wrong("a command"))?;
        match (name, &items[1..]) {
            ("set-info", [key, value]) => self.info(key, value),
            (
                "set-logic" | "set-option" | "set-info" | "check-sat" | "get-model" | "exit"
                | "echo" | "get-info" | "reset-assertions" | "get-unsat-core",
                _,
            ) => Ok(()),
            ("declare-const", [name, sort]) => self.declare(name, sort),
            ("declare-fun", [name, parameters, sort]) => {
                if matches!(name.atom().and_then(|name| self.globals.get(name)), Some(Global::Own))
                {
                    return Ok(());
                }
                match parameters.list() {
                    Some([]) => self.declare(name, sort),
                    _ => Err(SmtError::Unsupported { line, what: "an uninterpreted function" }),
                }
            }
            ("define-const", [name, _, body]) => self.define(name, &[], body),
            ("define-fun", [name, parameters, _, body]) => {
                let parameters = parameters.list().ok_or(wrong("a list of parameters"))?;
                self.define(name, parameters, body)
            }
            ("assert", [term]) => {
                let value = self.term(term)?;
                let assertion = value.bool(self.exprs).ok_or(wrong("a truth value"))?;
                self.script.assertions.push(assertion);
                Ok(())
            }
            ("get-value", [terms]) => {
                for term in terms.list().ok_or(wrong("a list of terms"))? {
                    let value = self.term(term)?;
                    let value = value.any().ok_or(wrong("a term that is not an array"))?;
                    self.script.values.push(value);
                }
                Ok(())
            }
            ("push" | "pop" | "check-sat-assuming", _) => {
                Err(SmtError::Unsupported { line, what: "an incremental script" })
            }
            _ => Err(wrong("a command with its arguments")),
        }
    }

    /// The lines in which the printer says what a function is.
    fn info(&mut self, key: &'a Sexp, value: &'a Sexp) -> Result<(), SmtError> {
        let line = key.line;
        let wrong = |expected| SmtError::Expected { line, expected };
        let parts = match &value.node {
            Node::String(text) => text.split_once(' '),
            _ => None,
        };
        match key.atom() {
            Some(":umbra-input") => {
                let (size, name) = parts.ok_or(wrong("a size and a name"))?;
                let size = size.parse().map_err(|_| wrong("a size and a name"))?;
                self.sizes.insert(name.to_owned(), size);
            }
            Some(":umbra-table") => {
                let (hex, name) = parts.ok_or(wrong("bytes and a name"))?;
                let bytes = from_hex(hex).ok_or(wrong("hexadecimal digits"))?;
                let table = self.exprs.table(&bytes);
                let start = self.exprs.array_start(table);
                self.globals.insert(format!("{name}.at"), Global::ReadOf(start));
            }
            Some(":umbra-update") => {
                let name = value.atom().ok_or(wrong("a name"))?;
                self.globals.insert(name.to_owned(), Global::Announced);
            }
            Some(":umbra-float") => {
                let name = value.atom().ok_or(wrong("a name"))?;
                self.globals.insert(name.to_owned(), Global::Own);
            }
            _ => {}
        }
        Ok(())
    }

    fn sort(&self, sort: &Sexp) -> Result<Sort, SmtError> {
        let line = sort.line;
        let bits = |sort: &Sexp| match sort.list() {
            Some([mark, name, width])
                if mark.atom() == Some("_") && name.atom() == Some("BitVec") =>
            {
                width.number().filter(|&width| width >= 1)
            }
            _ => None,
        };
        if let Some(width) = bits(sort) {
            return Ok(Sort::Bits(width));
        }
        match (sort.atom(), sort.list()) {
            (Some("Bool"), _) => Ok(Sort::Bool),
            (Some("Float16"), _) => Ok(Sort::Float(FloatKind::Half)),
            (Some("Float32"), _) => Ok(Sort::Float(FloatKind::Single)),
            (Some("Float64"), _) => Ok(Sort::Float(FloatKind::Double)),
            (_, Some([_, name, exponent, precision])) if name.atom() == Some("FloatingPoint") => {
                let numbers = exponent.number().zip(precision.number());
                numbers
                    .and_then(|(exponent, precision)| float_kind(exponent, precision))
                    .map(Sort::Float)
                    .ok_or(SmtError::Unsupported { line, what: "this float format" })
            }
            (_, Some([name, index, element])) if name.atom() == Some("Array") => {
                match (bits(index), bits(element)) {
                    (Some(index), Some(8)) if index <= INDEX_WIDTH => Ok(Sort::Array(index)),
                    _ => Err(SmtError::Unsupported { line, what: "an array not of bytes" }),
                }
            }
            _ => Err(SmtError::Expected { line, expected: "a sort" }),
        }
    }

    fn declare(&mut self, name: &'a Sexp, sort: &'a Sexp) -> Result<(), SmtError> {
        let line = name.line;
        let text = name.atom().ok_or(SmtError::Expected { line, expected: "a name" })?;
        let value = match self.sort(sort)? {
            Sort::Bool => {
                let bits = self.variable(line, text, 1)?;
                Value::Bool(bits)
            }
            Sort::Bits(width) => Value::Bits(self.variable(line, text, width)?),
            Sort::Float(kind) => {
                let bits = self.variable(line, text, kind.bits())?;
                Value::Float(if kind == FloatKind::X87 {
                    canonical_x87(self.exprs, bits)
                } else {
                    bits
                })
            }
            Sort::Array(index) => {
                let size = match (self.sizes.get(text), index) {
                    (Some(&size), _) => size,
                    (None, ..=31) => 1 << index,
                    // One byte short of what the index reaches: the last one reads as zero.
                    (None, 32) => u32::MAX,
                    _ => return Err(SmtError::Unsupported { line, what: "an array so large" }),
                };
                let array = self.input(line, text, size)?;
                self.globals.insert(format!("{text}.at"), Global::ReadOf(array));
                Value::Array(array)
            }
        };
        self.globals.insert(text.to_owned(), Global::Value(value));
        Ok(())
    }

    fn input(&mut self, line: u32, name: &str, size: u32) -> Result<ExprId, SmtError> {
        let clash =
            self.exprs.find_input(name).is_some_and(|array| self.exprs.array(array).size() != size);
        if clash {
            return Err(SmtError::Expected { line, expected: "the size this input already has" });
        }
        let array = self.exprs.input(name, size);
        Ok(self.exprs.array_start(array))
    }

    /// A bit-vector that is an input of its own.
    fn variable(&mut self, line: u32, name: &str, width: u32) -> Result<ExprId, SmtError> {
        let size = width.div_ceil(8);
        let array = self.input(line, name, size)?;
        let array = self.exprs.array_of(array);
        let mut value = self.exprs.byte(array, 0);
        for offset in 1..size {
            let byte = self.exprs.byte(array, offset);
            value = self.exprs.concat(byte, value);
        }
        Ok(if width.is_multiple_of(8) { value } else { self.exprs.extract(value, 0, width) })
    }

    fn define(
        &mut self,
        name: &'a Sexp,
        parameters: &'a [Sexp],
        body: &'a Sexp,
    ) -> Result<(), SmtError> {
        let line = name.line;
        let wrong = |expected| SmtError::Expected { line, expected };
        let text = name.atom().ok_or(wrong("a name"))?;
        let global = match self.globals.get(text) {
            // The printer has said what it is; the definition is for others.
            Some(Global::ReadOf(_) | Global::Own) => return Ok(()),
            Some(Global::Announced) => self.update(body)?,
            _ if parameters.is_empty() => Global::Value(self.term(body)?),
            _ => {
                let names: Option<Vec<&str>> = parameters
                    .iter()
                    .map(|parameter| parameter.list().and_then(|pair| pair.first()?.atom()))
                    .collect();
                Global::Macro(names.ok_or(wrong("named parameters"))?, body)
            }
        };
        self.globals.insert(text.to_owned(), global);
        Ok(())
    }

    /// An updated array, from `(ite (= i index) value (below i))`.
    fn update(&mut self, body: &'a Sexp) -> Result<Global<'a>, SmtError> {
        let wrong = SmtError::Expected { line: body.line, expected: "an update as printed" };
        let Some([_, condition, value, below]) = body.list() else { return Err(wrong) };
        let index = condition.list().and_then(|items| items.get(2)).ok_or(wrong.clone())?;
        let below = below.list().and_then(|items| items.first()?.atom()).ok_or(wrong.clone())?;
        let Some(Global::ReadOf(array)) = self.globals.get(below).cloned() else {
            return Err(wrong);
        };
        let (index, value) = (self.term(index)?, self.term(value)?);
        let (Value::Bits(index), Value::Bits(value)) = (index, value) else { return Err(wrong) };
        if (self.exprs.width(index), self.exprs.width(value)) != (INDEX_WIDTH, 8) {
            return Err(wrong);
        }
        Ok(Global::ReadOf(self.exprs.update(array, index, value)))
    }

    /// The value of a term; keeps its own stack.
    fn term(&mut self, term: &'a Sexp) -> Result<Value, SmtError> {
        let mut tasks = vec![Task::Evaluate(term)];
        let mut values: Vec<Value> = Vec::new();
        while let Some(task) = tasks.pop() {
            match task {
                Task::Evaluate(term) => self.evaluate(term, &mut tasks, &mut values)?,
                Task::Bind(bindings) => {
                    let first = values.len() - bindings.len();
                    for (binding, value) in bindings.iter().zip(values.drain(first..)) {
                        let name = binding.list().and_then(|pair| pair.first()?.atom());
                        self.locals.push((name.unwrap_or(""), value));
                    }
                }
                Task::Leave(locals, base) => {
                    self.locals.truncate(locals);
                    self.base = base;
                }
                Task::Apply(items, line) => {
                    let first = values.len() + 1 - items.len();
                    let operands: Vec<Value> = values.drain(first..).collect();
                    self.apply(items, line, operands, &mut tasks, &mut values)?;
                }
            }
        }
        values.pop().ok_or(SmtError::Expected { line: term.line, expected: "a term" })
    }

    fn evaluate(
        &mut self,
        term: &'a Sexp,
        tasks: &mut Vec<Task<'a>>,
        values: &mut Vec<Value>,
    ) -> Result<(), SmtError> {
        let line = term.line;
        let wrong = |expected| SmtError::Expected { line, expected };
        if let Some(name) = term.atom() {
            values.push(self.atom(name, line)?);
            return Ok(());
        }
        let items = term.list().ok_or(wrong("a term"))?;
        match (items.first().and_then(Sexp::atom), items) {
            (Some("let"), [_, bindings, body]) => {
                let bindings = bindings.list().ok_or(wrong("a list of bindings"))?;
                tasks.push(Task::Leave(self.locals.len(), self.base));
                tasks.push(Task::Evaluate(body));
                tasks.push(Task::Bind(bindings));
                for binding in bindings.iter().rev() {
                    match binding.list() {
                        Some([_, value]) => tasks.push(Task::Evaluate(value)),
                        _ => return Err(wrong("a name and a term")),
                    }
                }
            }
            (Some("!"), [_, term, ..]) => tasks.push(Task::Evaluate(term)),
            (Some("_"), _) => {
                let value = super::terms::literal(self.exprs, items, line)?;
                values.push(value);
            }
            (None, [head]) if head.list().is_some() => return Err(wrong("operands")),
            (_, []) => return Err(wrong("a term")),
            _ => {
                tasks.push(Task::Apply(items, line));
                tasks.extend(items[1..].iter().rev().map(Task::Evaluate));
            }
        }
        Ok(())
    }

    fn atom(&mut self, name: &str, line: u32) -> Result<Value, SmtError> {
        if let Some((_, value)) =
            self.locals[self.base..].iter().rev().find(|local| local.0 == name)
        {
            return Ok(value.clone());
        }
        if let Some(Global::Value(value)) = self.globals.get(name) {
            return Ok(value.clone());
        }
        super::terms::atom(self.exprs, name)
            .ok_or_else(|| SmtError::UnknownSymbol { line, name: name.to_owned() })
    }

    fn apply(
        &mut self,
        items: &'a [Sexp],
        line: u32,
        operands: Vec<Value>,
        tasks: &mut Vec<Task<'a>>,
        values: &mut Vec<Value>,
    ) -> Result<(), SmtError> {
        let wrong = |expected| SmtError::Expected { line, expected };
        let global = items[0].atom().and_then(|name| self.globals.get(name)).cloned();
        match global {
            Some(Global::Macro(names, body)) => {
                if names.len() != operands.len() {
                    return Err(wrong("as many operands as parameters"));
                }
                tasks.push(Task::Leave(self.locals.len(), self.base));
                tasks.push(Task::Evaluate(body));
                self.base = self.locals.len();
                self.locals.extend(names.into_iter().zip(operands));
            }
            Some(Global::ReadOf(array)) => {
                let [Value::Bits(index)] = operands[..] else { return Err(wrong("an index")) };
                if self.exprs.width(index) != INDEX_WIDTH {
                    return Err(wrong("an index of 64 bits"));
                }
                values.push(Value::Bits(self.exprs.read(array, index)));
            }
            Some(Global::Value(_) | Global::Announced) => return Err(wrong("a function")),
            Some(Global::Own) | None => {
                values.push(apply(self.exprs, &items[0], &operands, line)?);
            }
        }
        Ok(())
    }
}

/// The format with these numbers of bits.
pub(super) fn float_kind(exponent: u32, precision: u32) -> Option<FloatKind> {
    [FloatKind::Half, FloatKind::Single, FloatKind::Double, FloatKind::X87]
        .into_iter()
        .find(|kind| (kind.exponent_bits(), kind.precision()) == (exponent, precision))
}

/// An x87 number whose integer bit is as the exponent says.
pub(super) fn canonical_x87(x: &mut Expressions, bits: ExprId) -> ExprId {
    let (head, fraction) = (x.extract(bits, 64, 16), x.extract(bits, 0, 63));
    let (exponent, zero) = (x.extract(bits, 64, 15), x.constant(15, 0));
    let normal = x.ne(exponent, zero);
    let low = x.concat(normal, fraction);
    x.concat(head, low)
}
