//! Parsing: functions and their code.

use super::lexer::Token;
use super::names::{Word, type_of_word};
use super::parser::{Parsed, Parser};
use crate::id::{BlockId, FunctionId, Id, LocationId, RegisterId, Table};
use crate::instruction::{
    Argument, BinaryOp, ByValue, Callee, CastOp, Edge, Field, FloatOp, Instruction, Operand,
    Operation, Scaled, Terminator,
};
use crate::intrinsic::Intrinsic;
use crate::program::{Block, Body, Function, OldFunction, Presence};
use crate::types::Type;

/// The registers of a function, in the order they are met.
#[derive(Default)]
struct Registers(Vec<(RegisterId, Type)>);

impl Registers {
    /// The table, if the numbers are those from zero on.
    fn table(mut self) -> Option<Table<RegisterId, Type>> {
        self.0.sort_by_key(|&(register, _)| register);
        let dense =
            self.0.iter().enumerate().all(|(index, &(register, _))| register.index() == index);
        dense.then(|| self.0.into_iter().map(|(_, ty)| ty).collect())
    }
}

/// A parameter of a signature.
enum Parameter {
    Rest,
    One { register: Option<RegisterId>, ty: Type, by_value: Option<ByValue> },
}

impl Parser<'_> {
    pub(super) fn function(&mut self) -> Parsed<()> {
        self.next_id("fn", self.program.functions.next_id())?;
        let name = self.name()?;
        let mut function = Function {
            name,
            identity: None,
            parameters: Vec::new(),
            by_value: Vec::new(),
            results: Vec::new(),
            variadic: false,
            weak: false,
            old: None,
            body: None,
        };
        let mut registers = Registers::default();
        for parameter in self.list(Self::parameter)? {
            match parameter {
                Parameter::Rest => function.variadic = true,
                Parameter::One { register, ty, by_value } => {
                    let index = function.parameters.len() as u32;
                    function.parameters.push(ty);
                    registers.0.extend(register.map(|register| (register, ty)));
                    function.by_value.extend(by_value.map(|copy| (index, copy)));
                }
            }
        }
        if *self.peek() == Token::Arrow {
            self.next();
            function.results = self.commas(Self::ty)?;
        }
        function.weak = self.accept_word("weak");
        function.identity = self.identity()?;
        if self.accept_word("new") {
            let new_parameters = self.number()?;
            self.expect_word("old")?;
            let (name, parameters) = (self.name()?, self.list(Self::number)?);
            let identity = self.identity()?;
            let old = OldFunction { name, identity, parameters, new_parameters };
            function.old = Some(Box::new(old));
        }
        if self.accept('{') {
            function.body = Some(self.body(registers)?);
        } else if !registers.0.is_empty() {
            return self.error("an external function has no registers");
        }
        self.program.functions.push(function);
        Ok(())
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        if *self.peek() == Token::Dots {
            self.next();
            return Ok(Parameter::Rest);
        }
        let register = if self.at_id("r") {
            let register = self.id("r")?;
            self.expect(':')?;
            Some(register)
        } else {
            None
        };
        Ok(Parameter::One { register, ty: self.ty()?, by_value: self.by_value()? })
    }

    fn body(&mut self, mut registers: Registers) -> Parsed<Body> {
        let entry: Vec<RegisterId> = registers.0.iter().map(|&(register, _)| register).collect();
        if self.accept_word("registers") {
            let unassigned = self.commas(Self::typed_register)?;
            registers.0.extend(unassigned);
        }
        let mut blocks: Table<BlockId, Block> = Table::new();
        while !self.accept('}') {
            self.next_id("bb", blocks.next_id())?;
            let mut block = self.block(&mut registers)?;
            if blocks.is_empty() {
                if !block.parameters.is_empty() {
                    return self.error("the entry's parameters are the function's");
                }
                block.parameters.clone_from(&entry);
            }
            blocks.push(block);
        }
        match registers.table() {
            Some(registers) => Ok(Body { registers, blocks }),
            None => self.error("registers are not numbered from zero, each once"),
        }
    }

    fn typed_register(&mut self) -> Parsed<(RegisterId, Type)> {
        let register = self.id("r")?;
        self.expect(':')?;
        Ok((register, self.ty()?))
    }

    fn block(&mut self, registers: &mut Registers) -> Parsed<Block> {
        let mut parameters = Vec::new();
        if *self.peek() == Token::Mark('(') {
            let typed = self.list(Self::typed_register)?;
            parameters.extend(typed.iter().map(|&(register, _)| register));
            registers.0.extend(typed);
        }
        let presence = match *self.peek() {
            Token::Word("weak") => Presence::Weak,
            Token::Word("old") => Presence::Old,
            Token::Word("new") => Presence::New,
            _ => Presence::Strong,
        };
        if presence != Presence::Strong {
            self.next();
        }
        let weight = if self.accept_word("weight") { Some(self.number()?) } else { None };
        self.expect(':')?;
        let mut instructions = Vec::new();
        loop {
            if let Some(terminator) = self.terminator()? {
                let (location, old_location) = self.place()?;
                return Ok(Block {
                    presence,
                    parameters,
                    weight: weight.unwrap_or(instructions.len() as u32 + 1),
                    instructions,
                    terminator,
                    location,
                    old_location,
                });
            }
            instructions.push(self.instruction(registers)?);
        }
    }

    /// The locations at the end of an instruction: that in the new version, and the old one's.
    fn place(&mut self) -> Parsed<(Option<LocationId>, Option<LocationId>)> {
        if !self.accept('!') {
            return Ok((None, None));
        }
        let new = match self.peek() {
            Token::Mark('/') => None,
            _ => Some(self.location_number()?),
        };
        let old = if self.accept('/') { Some(self.location_number()?) } else { None };
        Ok((new, old))
    }

    fn location_number(&mut self) -> Parsed<LocationId> {
        let number: u32 = self.number()?;
        Ok(LocationId::from_index(number as usize))
    }

    fn operand(&mut self) -> Parsed<Operand> {
        if self.at_id("r") {
            return self.id("r").map(Operand::Register);
        }
        let value = self.value()?;
        Ok(Operand::Constant(self.intern(value)))
    }

    fn comma_operand(&mut self) -> Parsed<Operand> {
        self.expect(',')?;
        self.operand()
    }

    fn edge(&mut self) -> Parsed<Edge> {
        Ok(Edge { block: self.id("bb")?, arguments: self.list(Self::operand)? })
    }

    fn terminator(&mut self) -> Parsed<Option<Terminator>> {
        let Token::Word(word) = *self.peek() else {
            return Ok(None);
        };
        const WORDS: [&str; 7] =
            ["jump", "branch", "switch", "version", "return", "unreachable", "unsupported"];
        if !WORDS.contains(&word) {
            return Ok(None);
        }
        self.next();
        Ok(Some(match word {
            "jump" => Terminator::Jump(self.edge()?),
            "branch" => {
                let condition = self.operand()?;
                self.expect(',')?;
                let then = self.edge()?;
                self.expect(',')?;
                Terminator::Branch { condition, then, otherwise: self.edge()? }
            }
            "switch" => self.switch()?,
            "version" => {
                let old = self.edge()?;
                self.expect(',')?;
                Terminator::Version { old, new: self.edge()? }
            }
            "return" => {
                let starts = self.at_id("r")
                    || matches!(self.peek(), Token::Word(word) if type_of_word(word).is_some());
                Terminator::Return(if starts { self.commas(Self::operand)? } else { Vec::new() })
            }
            "unreachable" => Terminator::Unreachable,
            _ => Terminator::Unsupported(self.string()?),
        }))
    }

    fn switch(&mut self) -> Parsed<Terminator> {
        let value = self.operand()?;
        self.expect('{')?;
        let mut cases = Vec::new();
        while !self.accept_word("else") {
            let case = self.value()?;
            let case = self.intern(case);
            self.expect(':')?;
            cases.push((case, self.edge()?));
            self.expect(',')?;
        }
        self.expect(':')?;
        let default = self.edge()?;
        self.expect('}')?;
        Ok(Terminator::Switch { value, cases, default })
    }

    fn instruction(&mut self, registers: &mut Registers) -> Parsed<Instruction> {
        let mut destinations = Vec::new();
        if self.at_id("r") {
            let typed = self.commas(Self::typed_register)?;
            self.expect('=')?;
            destinations.extend(typed.iter().map(|&(register, _)| register));
            registers.0.extend(typed);
        }
        let word = self.word("an instruction")?;
        let operation = match word {
            "store" | "call" | "intrinsic" => self.effect(word, destinations)?,
            _ => match destinations[..] {
                [destination] => self.assignment(word, destination)?,
                _ => return self.error(format!("`{word}` assigns one register")),
            },
        };
        let (location, old_location) = self.place()?;
        Ok(Instruction { operation, location, old_location })
    }

    /// An operation that assigns any number of registers.
    fn effect(&mut self, word: &str, destinations: Vec<RegisterId>) -> Parsed<Operation> {
        match word {
            "store" if destinations.is_empty() => {
                Ok(Operation::Store { value: self.operand()?, address: self.comma_operand()? })
            }
            "store" => self.error("`store` assigns no register"),
            "call" => {
                let callee = if self.at_id("fn") {
                    let function: FunctionId = self.id("fn")?;
                    self.skip_name();
                    Callee::Direct(function)
                } else {
                    Callee::Indirect(self.operand()?)
                };
                let arguments = self.list(|parser| {
                    Ok(Argument { operand: parser.operand()?, by_value: parser.by_value()? })
                })?;
                Ok(Operation::Call { destinations, callee, arguments })
            }
            _ => {
                let name = self.word("an intrinsic")?;
                let Ok(intrinsic) = name.parse::<Intrinsic>() else {
                    return self.error(format!("`{name}` is no intrinsic"));
                };
                Ok(Operation::Intrinsic {
                    destinations,
                    intrinsic,
                    arguments: self.list(Self::operand)?,
                })
            }
        }
    }

    /// An operation that assigns one register.
    fn assignment(&mut self, word: &str, destination: RegisterId) -> Parsed<Operation> {
        if let Some(op) = BinaryOp::from_word(word) {
            return Ok(Operation::Binary {
                destination,
                op,
                left: self.operand()?,
                right: self.comma_operand()?,
            });
        }
        if let Some(op) = FloatOp::from_word(word) {
            return Ok(Operation::FloatBinary {
                destination,
                op,
                left: self.operand()?,
                right: self.comma_operand()?,
            });
        }
        if let Some(op) = CastOp::from_word(word) {
            return Ok(Operation::Cast { destination, op, operand: self.operand()? });
        }
        Ok(match word {
            "icmp" => Operation::Compare {
                destination,
                predicate: self.predicate()?,
                left: self.operand()?,
                right: self.comma_operand()?,
            },
            "fcmp" => Operation::FloatCompare {
                destination,
                predicate: self.predicate()?,
                left: self.operand()?,
                right: self.comma_operand()?,
            },
            "fneg" => Operation::FloatNegate { destination, operand: self.operand()? },
            "select" => Operation::Select {
                destination,
                condition: self.operand()?,
                left: self.comma_operand()?,
                right: self.comma_operand()?,
            },
            "copy" => Operation::Copy { destination, operand: self.operand()? },
            "change" => {
                Operation::Change { destination, old: self.operand()?, new: self.comma_operand()? }
            }
            "offset" => self.offset(destination)?,
            "load" => Operation::Load { destination, address: self.operand()? },
            "alloca" => self.alloca(destination)?,
            _ => return self.error(format!("`{word}` is no instruction")),
        })
    }

    fn predicate<P: Word>(&mut self) -> Parsed<P> {
        let word = self.word("a predicate")?;
        match P::from_word(word) {
            Some(predicate) => Ok(predicate),
            None => self.error(format!("`{word}` is no predicate")),
        }
    }

    fn offset(&mut self, destination: RegisterId) -> Parsed<Operation> {
        let base = self.operand()?;
        self.expect(',')?;
        let constant = self.number()?;
        let mut indices = Vec::new();
        while self.accept(',') {
            let index = self.operand()?;
            self.expect('*')?;
            indices.push(Scaled { index, scale: self.number()? });
        }
        let field = if self.accept_word("field") {
            Some(Field { of: self.id("struct")?, index: self.number()? })
        } else {
            None
        };
        Ok(Operation::Offset { destination, base, constant, indices, field })
    }

    fn alloca(&mut self, destination: RegisterId) -> Parsed<Operation> {
        let size = self.number()?;
        let count = if self.accept_word("x") { Some(self.operand()?) } else { None };
        self.expect_word("align")?;
        let align = self.number()?;
        let name = if matches!(self.peek(), Token::Name(_)) { self.name()? } else { String::new() };
        Ok(Operation::Alloca { destination, size, count, align, name })
    }
}
