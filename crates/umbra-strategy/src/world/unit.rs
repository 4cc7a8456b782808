//! One function instead of a program.
//!
//! The body of `main` is replaced: it asks the machine for an argument of each parameter's type, calls
//! the function and returns. So libc is set up as ever, and nothing else is special.

use umbra_engine::{ARGUMENT, LEFT, OBJECT, RESULT};
use umbra_ir::{
    Argument, Block, Body, Callee, Constant, ConstantValue, Function, FunctionId, Instruction,
    Operand, Operation, Presence, Program, Table, Terminator, Type,
};

/// Why a function cannot be run on its own.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFunction {
    /// There is no such function, or the program does not define it.
    #[error("the program does not define `{name}`{}", nearest.as_ref().map_or(String::new(), |name| format!(" (is `{name}` meant?)")))]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// One that is like it.
        nearest: Option<String>,
    },
    /// There is no `main` to put in its place.
    #[error("the program has no `main`")]
    NoMain,
}

/// Makes a program run one of its functions with symbolic arguments.
pub fn run_function(program: &mut Program, name: &str) -> Result<(), BadFunction> {
    replace_main(program, name, Returned::Ignored)
}

/// The same, where two versions are compared: what the function returns, and what it leaves
/// behind its pointers, is what they leave behind, as an exit status is.
pub fn compare_function(program: &mut Program, name: &str) -> Result<(), BadFunction> {
    replace_main(program, name, Returned::Told)
}

/// What becomes of what the function returns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Returned {
    Ignored,
    /// The machine is told.
    Told,
}

fn replace_main(program: &mut Program, name: &str, returned: Returned) -> Result<(), BadFunction> {
    let function = find(program, name)?;
    let main = program.function("main").ok_or(BadFunction::NoMain)?;
    let (parameters, by_value) = {
        let definition = &program.functions[function];
        (definition.parameters.clone(), definition.by_value.clone())
    };
    let main_type = {
        let definition = &program.functions[main];
        (definition.parameters.clone(), definition.results.clone())
    };
    let mut body = Body { registers: Table::new(), blocks: Table::new() };
    let own: Vec<_> = main_type.0.iter().map(|&ty| body.registers.push(ty)).collect();
    let mut instructions = Vec::new();
    let (mut arguments, mut pointers) = (Vec::new(), Vec::new());
    for (index, &ty) in parameters.iter().enumerate() {
        let copied = by_value.iter().find(|(at, _)| *at as usize == index).map(|(_, by)| *by);
        let position = index + 1;
        let source = match copied {
            Some(by_value) => format!("{OBJECT}{}_{position}", by_value.size),
            None => format!("{ARGUMENT}{}_{position}", ty.bits().div_ceil(8)),
        };
        let callee = declare(program, source, Vec::new(), vec![ty]);
        let destination = body.registers.push(ty);
        instructions.push(call(vec![destination], callee, Vec::new()));
        arguments.push(Argument { operand: Operand::Register(destination), by_value: copied });
        if ty == Type::Pointer && copied.is_none() {
            pointers.push(Argument { operand: Operand::Register(destination), by_value: None });
        }
    }
    let results = program.functions[function].results.clone();
    let destinations: Vec<_> = results.iter().map(|&ty| body.registers.push(ty)).collect();
    instructions.push(call(destinations.clone(), function, arguments));
    if returned == Returned::Told && !pointers.is_empty() {
        let types = vec![Type::Pointer; pointers.len()];
        let callee = declare(program, LEFT.to_owned(), types, Vec::new());
        instructions.push(call(Vec::new(), callee, pointers));
    }
    if returned == Returned::Told && !results.is_empty() {
        let told = destinations
            .into_iter()
            .map(|register| Argument { operand: Operand::Register(register), by_value: None });
        let (told, callee) = (told.collect(), declare(program, RESULT.to_owned(), results, vec![]));
        instructions.push(call(Vec::new(), callee, told));
    }
    let zero = main_type.1.iter().map(|&ty| {
        Operand::Constant(program.constants.push(Constant { ty, value: ConstantValue::Word(0) }))
    });
    body.blocks.push(Block {
        presence: Presence::Strong,
        parameters: own,
        instructions,
        terminator: Terminator::Return(zero.collect()),
        location: None,
        old_location: None,
        weight: 1,
    });
    program.functions[main].body = Some(body);
    program.functions[main].old = None;
    if let Some(merged) = &mut program.merged {
        for place in merged.old.iter_mut().chain(&mut merged.new) {
            place.retain(|place| place.function != main);
        }
    }
    Ok(())
}

/// The function of this name in the source text or for the linker.
fn find(program: &Program, name: &str) -> Result<FunctionId, BadFunction> {
    let defined = |id: &FunctionId| program.functions[*id].body.is_some();
    let by_link = program.function(name).filter(defined);
    let source_name =
        |id: FunctionId| program.functions[id].identity.as_ref().map(|i| i.name.as_str());
    let by_source =
        || program.functions.ids().filter(defined).find(|&id| source_name(id) == Some(name));
    by_link.or_else(by_source).ok_or_else(|| {
        let names = program.functions.ids().filter(defined).filter_map(source_name);
        let like = |candidate: &&str| {
            candidate.eq_ignore_ascii_case(name)
                || (name.len() > 2 && (candidate.contains(name) || name.contains(*candidate)))
        };
        let nearest = names.filter(like).min_by_key(|candidate| candidate.len());
        BadFunction::Unknown { name: name.to_owned(), nearest: nearest.map(str::to_owned) }
    })
}

fn declare(
    program: &mut Program,
    name: String,
    parameters: Vec<Type>,
    results: Vec<Type>,
) -> FunctionId {
    program.functions.push(Function {
        name,
        identity: None,
        parameters,
        by_value: Vec::new(),
        results,
        variadic: false,
        weak: false,
        old: None,
        body: None,
    })
}

fn call(
    destinations: Vec<umbra_ir::RegisterId>,
    function: FunctionId,
    arguments: Vec<Argument>,
) -> Instruction {
    let callee = Callee::Direct(function);
    Instruction::new(Operation::Call { destinations, callee, arguments }, None)
}
