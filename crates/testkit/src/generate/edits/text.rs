//! The text of a function.

use std::fmt::Write;

use super::{Condition, Function, Statement, Value};

/// Writes a function under a name.
struct Writer<'a> {
    function: &'a Function,
    name: &'a str,
    out: String,
    loops: usize,
}

impl Function {
    /// The C text; the function is called `name`.
    pub fn text(&self, name: &str) -> String {
        let mut writer = Writer { function: self, name, out: String::new(), loops: 0 };
        // Writing to a string cannot fail.
        let _ = writer.write();
        writer.out
    }
}

impl Writer<'_> {
    fn write(&mut self) -> std::fmt::Result {
        let Function { helpers, fields, count, body, result } = self.function;
        for (at, helper) in helpers.iter().enumerate() {
            let more = if helper.more { ", int more" } else { "" };
            let text = format!(
                "static int {}(int x{more})\n{{\n\tif ({})\n\t\treturn {};\n\treturn {};\n}}\n\n",
                self.helper(at),
                self.condition(&helper.condition),
                self.value(&helper.then),
                self.value(&helper.otherwise)
            );
            self.out += &text;
        }
        let fields: Vec<String> = fields.iter().map(|at| format!("f{at}")).collect();
        let name = self.name;
        writeln!(self.out, "struct {name}_fields {{ int {}; }};\n", fields.join(", "))?;
        writeln!(self.out, "int {name}(int x, int y)\n{{")?;
        writeln!(self.out, "\tstatic int count = {count};")?;
        writeln!(self.out, "\tint v0 = 1, v1 = 2, v2 = 3, a[4] = {{ 1, 2, 3, 4 }};")?;
        writeln!(self.out, "\tstruct {name}_fields s = {{ .f0 = 1, .f1 = x, .f2 = y }};")?;
        self.list(body, 1)?;
        let result = self.value(result);
        writeln!(
            self.out,
            "\temit(v0 + v1 * 3);\n\temit(v2 + a[0] + a[1] * 2 + a[2] * 3 + count);"
        )?;
        writeln!(self.out, "\treturn {result} + s.f0 * 64 + s.f1 * 32 + s.f2;\n}}\n")
    }

    fn helper(&self, at: usize) -> String {
        let renamed = if self.function.helpers[at].renamed { "_now" } else { "" };
        format!("{}_helper{at}{renamed}", self.name)
    }

    fn list(&mut self, list: &[Statement], depth: usize) -> std::fmt::Result {
        list.iter().try_for_each(|statement| self.statement(statement, depth))
    }

    fn statement(&mut self, statement: &Statement, depth: usize) -> std::fmt::Result {
        let tabs = "\t".repeat(depth);
        match statement {
            Statement::Assign(at, operator, value) => {
                let value = self.value(value);
                writeln!(self.out, "{tabs}v{at} {operator} {value};")
            }
            Statement::Field(at, value) => {
                let value = self.value(value);
                writeln!(self.out, "{tabs}s.f{at} = {value};")
            }
            Statement::Element(index, value) => {
                let (index, value) = (self.value(index), self.value(value));
                writeln!(self.out, "{tabs}a[({index}) & 3] = {value};")
            }
            Statement::Emit(value) => {
                let value = self.value(value);
                writeln!(self.out, "{tabs}emit({value});")
            }
            Statement::Count(value) => {
                let value = self.value(value);
                writeln!(self.out, "{tabs}count += {value};")
            }
            Statement::If(condition, then, otherwise) => {
                let condition = self.condition(condition);
                writeln!(self.out, "{tabs}if ({condition}) {{")?;
                self.list(then, depth + 1)?;
                if !otherwise.is_empty() {
                    writeln!(self.out, "{tabs}}} else {{")?;
                    self.list(otherwise, depth + 1)?;
                }
                writeln!(self.out, "{tabs}}}")
            }
            Statement::Loop(bound, body) => {
                let (bound, i) = (self.value(bound), format!("i{}", self.loops));
                self.loops += 1;
                writeln!(self.out, "{tabs}for (int {i} = 0; {i} < (({bound}) & 3); {i}++) {{")?;
                self.list(body, depth + 1)?;
                writeln!(self.out, "{tabs}}}")
            }
            Statement::Break(condition) => {
                let condition = self.condition(condition);
                writeln!(self.out, "{tabs}if ({condition})\n{tabs}\tbreak;")
            }
            Statement::Switch(value, cases, default) => {
                let value = self.value(value);
                writeln!(self.out, "{tabs}switch ({value}) {{")?;
                for (number, body) in cases {
                    writeln!(self.out, "{tabs}case {number}:")?;
                    self.list(body, depth + 1)?;
                    writeln!(self.out, "{tabs}\tbreak;")?;
                }
                writeln!(self.out, "{tabs}default:")?;
                self.list(default, depth + 1)?;
                writeln!(self.out, "{tabs}\tbreak;\n{tabs}}}")
            }
            Statement::Return(condition, value) => {
                let (condition, value) = (self.condition(condition), self.value(value));
                writeln!(self.out, "{tabs}if ({condition})\n{tabs}\treturn {value};")
            }
        }
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            Value::Input(name) => name.to_string(),
            Value::Variable(at) => format!("v{at}"),
            Value::Field(at) => format!("s.f{at}"),
            Value::Element(index) => format!("a[({}) & 3]", self.value(index)),
            Value::Binary(operator, left, right) => {
                format!("({} {operator} {})", self.value(left), self.value(right))
            }
            Value::Choice(condition, then, otherwise) => format!(
                "({} ? {} : {})",
                self.condition(condition),
                self.value(then),
                self.value(otherwise)
            ),
            Value::Helper(at, inner) => {
                let more = if self.function.helpers[*at].more { ", 7" } else { "" };
                format!("{}({}{more})", self.helper(*at), self.value(inner))
            }
        }
    }

    fn condition(&self, condition: &Condition) -> String {
        match condition {
            Condition::Compare(comparison, left, right) => {
                format!("{} {comparison} {}", self.value(left), self.value(right))
            }
            Condition::Both(a, b) => format!("({} && {})", self.condition(a), self.condition(b)),
            Condition::Either(a, b) => format!("({} || {})", self.condition(a), self.condition(b)),
            Condition::Not(inner) => format!("!({})", self.condition(inner)),
        }
    }
}
