//! Printing.

use std::fmt::{self, Display, Formatter, Write};

use super::names::Word;
use crate::constant::{Constant, ConstantValue, Symbol};
use crate::id::{FunctionId, Id, LocationId, RegisterId};
use crate::instruction::{ByValue, Callee, Edge, Instruction, Operand, Operation, Terminator};
use crate::location::Identity;
use crate::program::{
    Block, BlockPlace, Body, Function, Global, Initializer, Presence, Program, Struct,
};
use crate::types::Type;

/// Runs of zero bytes at least this long are printed as their length.
const LONG_ZEROS: usize = 16;

impl Display for Program {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (id, global) in self.globals.iter() {
            write!(f, "{id} {}: {} align {}", Name(&global.name), global.size, global.align)?;
            print_global(self, global, f)?;
            writeln!(f)?;
        }
        for alias in &self.aliases {
            let symbol = SymbolText(self, alias.symbol, alias.offset);
            writeln!(f, "alias {} = {symbol}", Name(&alias.name))?;
        }
        for (keyword, list) in
            [("constructors", &self.constructors), ("destructors", &self.destructors)]
        {
            if !list.is_empty() {
                writeln!(f, "{keyword} {}", Commas(list.iter()))?;
            }
        }
        for id in self.functions.ids() {
            write!(f, "{}", self.display_function(id))?;
        }
        for (id, description) in self.structs.iter() {
            let Struct { name, size, offsets } = description;
            writeln!(f, "{id} {}: {size} ({})", Name(name), Commas(offsets.iter()))?;
        }
        if let Some(merged) = &self.merged {
            for (version, blocks) in [("old", &merged.old), ("new", &merged.new)] {
                let blocks = blocks.iter().map(|places| MergedBlock(places));
                writeln!(f, "merged {version} ({})", Commas(blocks))?;
            }
        }
        for (id, constant) in self.constants.iter() {
            writeln!(f, "{id} {}", ConstantText(self, constant))?;
        }
        for (id, file) in self.files.iter() {
            writeln!(f, "{id} {} {}", Quoted(&file.directory), Quoted(&file.name))?;
        }
        for (id, location) in self.locations.iter() {
            let (file, line, column) = (location.file, location.line, location.column);
            write!(f, "{id} {file}:{line}:{column} {}", Name(&location.function))?;
            if let Some(at) = location.inlined_at {
                write!(f, " inlined {at}")?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl Program {
    /// The text of one function.
    pub fn display_function(&self, id: FunctionId) -> impl Display + '_ {
        FunctionText(self, id)
    }
}

fn print_global(program: &Program, global: &Global, f: &mut Formatter<'_>) -> fmt::Result {
    for (flag, word) in [
        (global.constant, " constant"),
        (global.thread_local, " thread_local"),
        (global.weak, " weak"),
    ] {
        if flag {
            f.write_str(word)?;
        }
    }
    print_identity(global.identity.as_ref(), f)?;
    print_initializer(program, &global.initializer, f)?;
    let Some(old) = &global.old else {
        return Ok(());
    };
    write!(f, " old {}: {} align {}", Name(&old.name), old.size, old.align)?;
    if old.constant {
        f.write_str(" constant")?;
    }
    print_identity(old.identity.as_ref(), f)?;
    print_initializer(program, &old.initializer, f)
}

fn print_initializer(
    program: &Program,
    initializer: &Initializer,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    f.write_str(" = ")?;
    match initializer {
        Initializer::External => f.write_str("external")?,
        Initializer::Zero => f.write_str("zero")?,
        Initializer::Unsupported(reason) => write!(f, "unsupported {}", Quoted(reason))?,
        Initializer::Data { bytes, relocations } => {
            print_data(bytes, f)?;
            for (index, relocation) in relocations.iter().enumerate() {
                f.write_str(if index == 0 { " with " } else { ", " })?;
                let symbol = SymbolText(program, relocation.symbol, relocation.addend);
                write!(f, "{}: {symbol}", relocation.offset)?;
            }
        }
    }
    Ok(())
}

/// Bytes as strings, with long runs of zeros apart.
fn print_data(bytes: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    let mut rest = bytes;
    let mut first = true;
    while first || !rest.is_empty() {
        if !first {
            f.write_char(' ')?;
        }
        first = false;
        let zeros = rest.iter().take_while(|&&byte| byte == 0).count();
        if zeros >= LONG_ZEROS {
            write!(f, "zero {zeros}")?;
            rest = &rest[zeros..];
            continue;
        }
        let next = rest
            .windows(LONG_ZEROS)
            .position(|window| window.iter().all(|&byte| byte == 0))
            .unwrap_or(rest.len());
        let (text, tail) = rest.split_at(next);
        print_quoted(text, f)?;
        rest = tail;
    }
    Ok(())
}

fn print_identity(identity: Option<&Identity>, f: &mut Formatter<'_>) -> fmt::Result {
    let Some(identity) = identity else {
        return Ok(());
    };
    write!(f, " from {}:{} {}", identity.file, identity.line, Name(&identity.name))?;
    if identity.unit != identity.file {
        write!(f, " unit {}", identity.unit)?;
    }
    if !identity.scope.is_empty() {
        write!(f, " in {}", Name(&identity.scope))?;
    }
    if identity.local {
        f.write_str(" local")?;
    }
    Ok(())
}

/// A function of a program.
struct FunctionText<'a>(&'a Program, FunctionId);

impl Display for FunctionText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self(program, id) = *self;
        let function = &program.functions[id];
        write!(f, "{id} {}(", Name(&function.name))?;
        print_parameters(function, f)?;
        f.write_char(')')?;
        if !function.results.is_empty() {
            write!(f, " -> {}", Commas(function.results.iter()))?;
        }
        if function.weak {
            f.write_str(" weak")?;
        }
        print_identity(function.identity.as_ref(), f)?;
        if let Some(old) = &function.old {
            let parameters = Commas(old.parameters.iter());
            write!(f, " new {} old {}({parameters})", old.new_parameters, Name(&old.name))?;
            print_identity(old.identity.as_ref(), f)?;
        }
        let Some(body) = &function.body else {
            return writeln!(f);
        };
        writeln!(f, " {{")?;
        let text = BodyText { program, body };
        text.unassigned(f)?;
        for (id, block) in body.blocks.iter() {
            write!(f, "{id}")?;
            if id.index() != 0 && !block.parameters.is_empty() {
                let parameters = block.parameters.iter().map(|&r| Typed(body, r));
                write!(f, "({})", Commas(parameters))?;
            }
            let presence = match block.presence {
                Presence::Strong => "",
                Presence::Weak => " weak",
                Presence::Old => " old",
                Presence::New => " new",
            };
            writeln!(f, "{presence} weight {}:", block.weight)?;
            text.block(block, f)?;
        }
        writeln!(f, "}}")
    }
}

fn print_parameters(function: &Function, f: &mut Formatter<'_>) -> fmt::Result {
    let body = function.body.as_ref();
    let entry = body.and_then(|body| body.blocks.values().next());
    for (index, ty) in function.parameters.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        if let Some(register) = entry.and_then(|entry| entry.parameters.get(index)) {
            write!(f, "{register}: ")?;
        }
        write!(f, "{ty}")?;
        let by_value = function.by_value.iter().find(|(at, _)| *at as usize == index);
        print_by_value(by_value.map(|&(_, by_value)| by_value), f)?;
    }
    if function.variadic {
        f.write_str(if function.parameters.is_empty() { "..." } else { ", ..." })?;
    }
    Ok(())
}

fn print_by_value(by_value: Option<ByValue>, f: &mut Formatter<'_>) -> fmt::Result {
    match by_value {
        Some(ByValue { size, align }) => write!(f, " byval {size} align {align}"),
        None => Ok(()),
    }
}

/// The location in the new version, and that in the old one behind a slash.
fn print_location(
    new: Option<LocationId>,
    old: Option<LocationId>,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    if new.is_some() || old.is_some() {
        f.write_str(" !")?;
    }
    if let Some(new) = new {
        write!(f, "{}", new.index())?;
    }
    if let Some(old) = old {
        write!(f, "/{}", old.index())?;
    }
    writeln!(f)
}

/// A function's code.
struct BodyText<'a> {
    program: &'a Program,
    body: &'a Body,
}

impl<'a> BodyText<'a> {
    /// Registers that nothing assigns still have numbers and types.
    fn unassigned(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut assigned = vec![false; self.body.registers.len()];
        for block in self.body.blocks.values() {
            let instructions = block.instructions.iter();
            let destinations = instructions.flat_map(|i| i.operation.destinations());
            for register in block.parameters.iter().chain(destinations) {
                assigned[register.index()] = true;
            }
        }
        let rest = self.body.registers.ids().filter(|r| !assigned[r.index()]);
        let rest: Vec<_> = rest.map(|register| Typed(self.body, register)).collect();
        if rest.is_empty() {
            return Ok(());
        }
        writeln!(f, "registers {}", Commas(rest.into_iter()))
    }

    fn block(&self, block: &Block, f: &mut Formatter<'_>) -> fmt::Result {
        for instruction in &block.instructions {
            f.write_str("  ")?;
            self.instruction(instruction, f)?;
        }
        f.write_str("  ")?;
        match &block.terminator {
            Terminator::Jump(edge) => write!(f, "jump {}", self.edge(edge))?,
            Terminator::Branch { condition, then, otherwise } => write!(
                f,
                "branch {}, {}, {}",
                self.operand(*condition),
                self.edge(then),
                self.edge(otherwise)
            )?,
            Terminator::Switch { value, cases, default } => {
                write!(f, "switch {} {{", self.operand(*value))?;
                for (case, edge) in cases {
                    let case = self.operand(Operand::Constant(*case));
                    write!(f, " {case}: {},", self.edge(edge))?;
                }
                write!(f, " else: {} }}", self.edge(default))?;
            }
            Terminator::Version { old, new } => {
                write!(f, "version {}, {}", self.edge(old), self.edge(new))?;
            }
            Terminator::Return(results) if results.is_empty() => f.write_str("return")?,
            Terminator::Return(results) => write!(f, "return {}", self.operands(results))?,
            Terminator::Unreachable => f.write_str("unreachable")?,
            Terminator::Unsupported(reason) => write!(f, "unsupported {}", Quoted(reason))?,
        }
        print_location(block.location, block.old_location, f)
    }

    fn instruction(&self, instruction: &Instruction, f: &mut Formatter<'_>) -> fmt::Result {
        let destinations = instruction.operation.destinations();
        if !destinations.is_empty() {
            let destinations = destinations.iter().map(|&r| Typed(self.body, r));
            write!(f, "{} = ", Commas(destinations))?;
        }
        self.operation(&instruction.operation, f)?;
        print_location(instruction.location, instruction.old_location, f)
    }

    fn operation(&self, operation: &Operation, f: &mut Formatter<'_>) -> fmt::Result {
        let pair = |f: &mut Formatter<'_>, word: &str, left: Operand, right: Operand| {
            write!(f, "{word} {}, {}", self.operand(left), self.operand(right))
        };
        match operation {
            Operation::Binary { op, left, right, .. } => pair(f, op.word(), *left, *right),
            Operation::FloatBinary { op, left, right, .. } => pair(f, op.word(), *left, *right),
            Operation::Compare { predicate, left, right, .. } => {
                f.write_str("icmp ")?;
                pair(f, predicate.word(), *left, *right)
            }
            Operation::FloatCompare { predicate, left, right, .. } => {
                f.write_str("fcmp ")?;
                pair(f, predicate.word(), *left, *right)
            }
            Operation::FloatNegate { operand, .. } => write!(f, "fneg {}", self.operand(*operand)),
            Operation::Cast { op, operand, .. } => {
                write!(f, "{} {}", op.word(), self.operand(*operand))
            }
            Operation::Select { condition, left, right, .. } => {
                write!(f, "select {}, ", self.operand(*condition))?;
                write!(f, "{}, {}", self.operand(*left), self.operand(*right))
            }
            Operation::Copy { operand, .. } => write!(f, "copy {}", self.operand(*operand)),
            Operation::Change { old, new, .. } => pair(f, "change", *old, *new),
            Operation::Offset { base, constant, indices, field, .. } => {
                write!(f, "offset {}, {constant}", self.operand(*base))?;
                indices.iter().try_for_each(|scaled| {
                    write!(f, ", {} * {}", self.operand(scaled.index), scaled.scale)
                })?;
                match field {
                    Some(field) => write!(f, " field {} {}", field.of, field.index),
                    None => Ok(()),
                }
            }
            Operation::Load { address, .. } => write!(f, "load {}", self.operand(*address)),
            Operation::Store { value, address } => pair(f, "store", *value, *address),
            Operation::Alloca { size, count, align, name, .. } => {
                write!(f, "alloca {size}")?;
                if let Some(count) = count {
                    write!(f, " x {}", self.operand(*count))?;
                }
                write!(f, " align {align}")?;
                if name.is_empty() {
                    return Ok(());
                }
                write!(f, " {}", Name(name))
            }
            Operation::Call { callee, arguments, .. } => {
                match callee {
                    Callee::Direct(id) => {
                        let name = Name(&self.program.functions[*id].name);
                        write!(f, "call {id}{name}(")?;
                    }
                    Callee::Indirect(operand) => write!(f, "call {}(", self.operand(*operand))?,
                }
                for (index, argument) in arguments.iter().enumerate() {
                    f.write_str(if index == 0 { "" } else { ", " })?;
                    write!(f, "{}", self.operand(argument.operand))?;
                    print_by_value(argument.by_value, f)?;
                }
                f.write_char(')')
            }
            Operation::Intrinsic { intrinsic, arguments, .. } => {
                write!(f, "intrinsic {intrinsic}({})", self.operands(arguments))
            }
        }
    }

    fn operand(&self, operand: Operand) -> OperandText<'a> {
        OperandText(self.program, operand)
    }

    fn operands(&self, operands: &'a [Operand]) -> impl Display + use<'a> {
        let program = self.program;
        Commas(operands.iter().map(move |&o| OperandText(program, o)))
    }

    fn edge(&self, edge: &'a Edge) -> impl Display + use<'a> {
        EdgeText(self.program, edge)
    }
}

/// Where a block of a program is that was merged into this one.
#[derive(Clone, Copy)]
struct MergedBlock<'a>(&'a [BlockPlace]);

impl Display for MergedBlock<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("none");
        }
        for (index, BlockPlace { function, block }) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { " + " })?;
            write!(f, "{function} {block}")?;
        }
        Ok(())
    }
}

/// Things with commas between them.
struct Commas<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for Commas<I> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for (index, item) in self.0.clone().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            item.fmt(f)?;
        }
        Ok(())
    }
}

/// A register and its type.
#[derive(Clone, Copy)]
struct Typed<'a>(&'a Body, RegisterId);

impl Display for Typed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.1, self.0.registers[self.1])
    }
}

struct EdgeText<'a>(&'a Program, &'a Edge);

impl Display for EdgeText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let arguments = self.1.arguments.iter().map(|&o| OperandText(self.0, o));
        write!(f, "{}({})", self.1.block, Commas(arguments))
    }
}

#[derive(Clone, Copy)]
struct OperandText<'a>(&'a Program, Operand);

impl Display for OperandText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Operand::Register(register) => register.fmt(f),
            Operand::Constant(id) => ConstantText(self.0, &self.0.constants[id]).fmt(f),
        }
    }
}

struct ConstantText<'a>(&'a Program, &'a Constant);

impl Display for ConstantText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let ty = self.1.ty;
        write!(f, "{ty} ")?;
        match &self.1.value {
            ConstantValue::Word(word) => match ty {
                Type::Integer(bits @ 2..=64) => {
                    let spare = 64 - bits;
                    write!(f, "{}", ((word << spare) as i64) >> spare)
                }
                Type::Integer(_) => write!(f, "{word}"),
                _ => write!(f, "{word:#x}"),
            },
            ConstantValue::Words(words) => {
                f.write_str("0x")?;
                words.iter().rev().try_for_each(|word| write!(f, "{word:016x}"))
            }
            ConstantValue::Address { symbol, offset } => {
                SymbolText(self.0, *symbol, *offset).fmt(f)
            }
            ConstantValue::Undefined => f.write_str("undef"),
        }
    }
}

/// A symbol, its name for the reader, and a number of bytes.
struct SymbolText<'a>(&'a Program, Symbol, i64);

impl Display for SymbolText<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.1 {
            Symbol::Function(id) => write!(f, "{id}{}", Name(&self.0.functions[id].name))?,
            Symbol::Global(id) => write!(f, "{id}{}", Name(&self.0.globals[id].name))?,
        }
        match self.2 {
            0 => Ok(()),
            offset => write!(f, "{offset:+}"),
        }
    }
}

/// A name: `@` and a word, or a string.
struct Name<'a>(&'a str);

impl Display for Name<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_char('@')?;
        if !self.0.is_empty() && self.0.bytes().all(super::lexer::is_name_byte) {
            f.write_str(self.0)
        } else {
            print_quoted(self.0.as_bytes(), f)
        }
    }
}

/// A string in quotes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        print_quoted(self.0.as_bytes(), f)
    }
}

fn print_quoted(bytes: &[u8], f: &mut Formatter<'_>) -> fmt::Result {
    f.write_char('"')?;
    for &byte in bytes {
        match byte {
            b'"' | b'\\' => write!(f, "\\{byte:02x}")?,
            b' '..=b'~' => f.write_char(char::from(byte))?,
            _ => write!(f, "\\{byte:02x}")?,
        }
    }
    f.write_char('"')
}
