//! Who calls whom.
//!
//! An indirect call may reach every function whose address the program takes, in code or in the
//! contents of a global, and whose type fits the call. Fits: as many parameters as arguments, of the
//! same types (of the fixed ones, for a variadic function), and the same results where the
//! call uses any. If none fits, as happens with old-style declarations, the number of parameters has
//! to do. That is what correct programs do; where it must hold for any program,
//! [`CallGraph::of_any_type`] does not look at types.
//!
//! Calls that the machine makes on its own are not here: signal handlers, and `longjmp`, which is a
//! return to a place far up the stack.

use std::collections::HashMap;

use umbra_ir::{
    Body, Callee, ConstantValue, Function, FunctionId, Id, Initializer, Operand, Operation,
    Program, Symbol, Type,
};

use crate::points_to::PointsTo;

/// The callees of every function.
#[derive(Clone, Debug)]
pub struct CallGraph {
    callees: Vec<Vec<FunctionId>>,
    callers: Vec<Vec<FunctionId>>,
    address_taken: Vec<bool>,
    /// What indirect calls may reach, by their type.
    indirect: HashMap<CallType, Vec<FunctionId>>,
    /// What the address of an indirect call points to, by function and register, and whether the type
    /// has to do as well.
    pointed_to: HashMap<(FunctionId, Operand), (Vec<FunctionId>, bool)>,
}

/// The functions that a call may reach.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Callees<'a> {
    /// Those that are called by name, or that the analysis found.
    pub known: &'a [FunctionId],
    /// Those that only the type of the call speaks for, where nothing better is known.
    pub by_type: &'a [FunctionId],
}

impl<'a> Callees<'a> {
    /// All of them, those that are known first.
    pub fn all(self) -> impl Iterator<Item = FunctionId> + use<'a> {
        self.known.iter().chain(self.by_type).copied()
    }
}

/// The type of an indirect call, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallType {
    arguments: Vec<Type>,
    results: Vec<Type>,
}

impl CallType {
    pub fn of(program: &Program, body: &Body, call: &Operation) -> Self {
        let Operation::Call { destinations, arguments, .. } = call else {
            return Self { arguments: Vec::new(), results: Vec::new() };
        };
        let types = arguments.iter().map(|argument| program.type_of(body, argument.operand));
        Self {
            arguments: types.collect(),
            results: destinations.iter().map(|&register| body.registers[register]).collect(),
        }
    }

    pub fn fits(&self, function: &Function) -> bool {
        let fixed = function.parameters.len();
        let arguments = match function.variadic {
            true => self.arguments.get(..fixed),
            false => Some(self.arguments.as_slice()),
        };
        arguments == Some(&function.parameters)
            && (self.results.is_empty() || self.results == function.results)
    }
}

/// Which functions an indirect call may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Resolution {
    ByType,
    Any,
}

impl CallGraph {
    /// The call graph of a program.
    pub fn new(program: &Program) -> Self {
        Self::build(program, Resolution::ByType)
    }

    /// The call graph in which an indirect call may reach every function whose address is taken,
    /// whatever its type.
    ///
    /// That libc's entry hands `main` on does not count as taking its address: everything that calls
    /// through pointers would seem to lead back to the start. So the way into `main` is not there.
    pub fn of_any_type(program: &Program) -> Self {
        Self::build(program, Resolution::Any)
    }

    /// The call graph in which an indirect call may reach what the address points to.
    ///
    /// Where that is not all that it may be, or fits the call in nothing, functions of its type follow
    /// ([`Callees::by_type`]).
    pub fn of_pointers(program: &Program, pointers: &PointsTo<'_>) -> Self {
        let mut graph = Self::empty(program, Resolution::ByType);
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for operation in calls(body) {
                let Operation::Call { callee: Callee::Indirect(address), .. } = operation else {
                    continue;
                };
                let ty = CallType::of(program, body, operation);
                let (functions, open) = pointers.callees(id, *address);
                let fits = |function: &&FunctionId| ty.fits(&program.functions[**function]);
                let mut known: Vec<_> = functions.iter().filter(fits).copied().collect();
                if known.is_empty() {
                    known = functions.to_vec();
                }
                graph.pointed_to.insert((id, *address), (known, open));
            }
        }
        graph.connect(program, Resolution::ByType);
        graph
    }

    fn build(program: &Program, resolution: Resolution) -> Self {
        let mut graph = Self::empty(program, resolution);
        graph.connect(program, resolution);
        graph
    }

    fn empty(program: &Program, resolution: Resolution) -> Self {
        let count = program.functions.len();
        let started = match resolution {
            Resolution::ByType => None,
            Resolution::Any => program.function(ENTRY).zip(program.function("main")),
        };
        let address_taken = taken_addresses(program, started);
        Self {
            callees: vec![Vec::new(); count],
            callers: vec![Vec::new(); count],
            address_taken,
            indirect: HashMap::new(),
            pointed_to: HashMap::new(),
        }
    }

    fn connect(&mut self, program: &Program, resolution: Resolution) {
        for (id, function) in program.functions.iter() {
            let Some(body) = &function.body else { continue };
            for operation in calls(body) {
                self.resolve(program, body, operation, resolution);
                let callees = self.callees_of_call(program, id, body, operation);
                let callees: Vec<_> = callees.all().collect();
                self.callees[id.index()].extend(callees);
            }
        }
        for (caller, callees) in self.callees.iter_mut().enumerate() {
            callees.sort_unstable();
            callees.dedup();
            for callee in callees {
                self.callers[callee.index()].push(FunctionId::from_index(caller));
            }
        }
    }

    /// The functions that a function may call, each once, in the order of their ids.
    pub fn callees(&self, function: FunctionId) -> &[FunctionId] {
        &self.callees[function.index()]
    }

    /// The functions that may call a function, each once, in the order of their ids.
    pub fn callers(&self, function: FunctionId) -> &[FunctionId] {
        &self.callers[function.index()]
    }

    /// Whether the program takes the address of a function.
    pub fn is_address_taken(&self, function: FunctionId) -> bool {
        self.address_taken[function.index()]
    }

    /// The functions that a call in a function may reach; none if the operation is no call.
    pub fn callees_of_call<'a>(
        &'a self,
        program: &Program,
        function: FunctionId,
        body: &Body,
        operation: &'a Operation,
    ) -> Callees<'a> {
        let Operation::Call { callee, .. } = operation else { return Callees::default() };
        let address = match callee {
            Callee::Direct(function) => {
                return Callees { known: std::slice::from_ref(function), by_type: &[] };
            }
            Callee::Indirect(address) => *address,
        };
        let by_type = || {
            let ty = CallType::of(program, body, operation);
            self.indirect.get(&ty).map_or(&[][..], Vec::as_slice)
        };
        match self.pointed_to.get(&(function, address)) {
            None => Callees { known: by_type(), by_type: &[] },
            Some((known, false)) => Callees { known, by_type: &[] },
            Some((known, true)) => Callees { known, by_type: by_type() },
        }
    }

    /// Finds out what indirect calls of this type may reach.
    fn resolve(
        &mut self,
        program: &Program,
        body: &Body,
        operation: &Operation,
        resolution: Resolution,
    ) {
        if !matches!(operation, Operation::Call { callee: Callee::Indirect(_), .. }) {
            return;
        }
        let ty = CallType::of(program, body, operation);
        if self.indirect.contains_key(&ty) {
            return;
        }
        let taken = || {
            let functions = program.functions.iter();
            functions.filter(|(id, _)| self.address_taken[id.index()])
        };
        let any = resolution == Resolution::Any;
        let exact = taken().filter(|(_, function)| any || ty.fits(function));
        let mut found: Vec<FunctionId> = exact.map(|(id, _)| id).collect();
        if found.is_empty() {
            let count = ty.arguments.len();
            let similar = taken().filter(|(_, function)| function.parameters.len() == count);
            found = similar.map(|(id, _)| id).collect();
        }
        self.indirect.insert(ty, found);
    }
}

/// The calls of a body, in the order of the text.
fn calls(body: &Body) -> impl Iterator<Item = &Operation> {
    let operations = body.blocks.values().flat_map(|block| &block.instructions);
    operations
        .map(|instruction| &instruction.operation)
        .filter(|operation| matches!(operation, Operation::Call { .. }))
}

/// The function of libc that a program starts with.
const ENTRY: &str = "_start_c";

/// Whether the address of each function is used for anything but a direct call. Of `started`, the
/// uses of the second function by the first do not count.
fn taken_addresses(program: &Program, started: Option<(FunctionId, FunctionId)>) -> Vec<bool> {
    let mut taken = vec![false; program.functions.len()];
    let mut take = |symbol: Symbol| {
        if let Symbol::Function(function) = symbol {
            taken[function.index()] = true;
        }
    };
    for global in program.globals.values() {
        if let Initializer::Data { relocations, .. } = &global.initializer {
            relocations.iter().for_each(|relocation| take(relocation.symbol));
        }
    }
    // Libc calls these through arrays of pointers.
    for &function in program.constructors.iter().chain(&program.destructors) {
        take(Symbol::Function(function));
    }
    for (id, function) in program.functions.iter() {
        let handed_on = started.filter(|(entry, _)| *entry == id).map(|(_, main)| main);
        let mut operand = |operand: Operand| {
            if let Operand::Constant(constant) = operand
                && let ConstantValue::Address { symbol, .. } = program.constants[constant].value
                && handed_on.map(Symbol::Function) != Some(symbol)
            {
                take(symbol);
            }
        };
        for block in function.body.iter().flat_map(|body| body.blocks.values()) {
            for instruction in &block.instructions {
                instruction.operation.visit_operands(&mut operand);
            }
            block.terminator.visit_operands(&mut operand);
        }
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(program: &Program, functions: &[FunctionId]) -> Vec<String> {
        functions.iter().map(|&function| program.functions[function].name.clone()).collect()
    }

    #[test]
    fn indirect_calls_reach_functions_of_their_type_whose_address_is_taken() {
        let program =
            umbra_ir::parse(include_str!("../tests/indirect.ir")).expect("the text is right");
        let graph = CallGraph::new(&program);
        let callees = |name| {
            let function = program.function(name).expect("the function is there");
            names(&program, graph.callees(function))
        };
        assert_eq!(callees("main"), ["binary", "in_table", "in_code", "any", "other_caller"]);
        assert_eq!(callees("other_caller"), ["binary", "any"]);
        assert_eq!(callees("in_code"), Vec::<String>::new());
        let binary = program.function("binary").expect("the function is there");
        assert_eq!(names(&program, graph.callers(binary)), ["main", "other_caller"]);
        assert!(graph.is_address_taken(binary));
        let never = program.function("never_taken").expect("the function is there");
        assert!(!graph.is_address_taken(never));
        assert_eq!(graph.callers(never), []);
    }

    #[test]
    fn without_types_every_address_that_is_taken_may_be_called() {
        let program = umbra_ir::parse(
            "fn0 @_start_c(r0: ptr) {
             bb0:
               call fn1@begin(ptr fn2@main)
               return
             }
             fn1 @begin(r0: ptr) {
             bb0:
               call r0(i64 7)
               return
             }
             fn2 @main() -> i32 {
             bb0:
               call fn1@begin(ptr fn3@callee)
               return i32 0
             }
             fn3 @callee(r0: i32, r1: ptr) {
             bb0:
               return
             }",
        )
        .expect("the text is right");
        let begin = program.function("begin").expect("the function is there");
        assert_eq!(names(&program, CallGraph::of_any_type(&program).callees(begin)), ["callee"]);
        assert_eq!(names(&program, CallGraph::new(&program).callees(begin)), Vec::<String>::new());
    }

    #[test]
    fn a_call_of_no_known_type_reaches_what_has_as_many_parameters() {
        let program = umbra_ir::parse(
            "fn0 @main() {
             bb0:
               call ptr fn1@callee(i64 7)
               return
             }
             fn1 @callee(r0: i32) {
             bb0:
               return
             }",
        )
        .expect("the text is right");
        let graph = CallGraph::new(&program);
        let main = program.function("main").expect("the function is there");
        assert_eq!(names(&program, graph.callees(main)), ["callee"]);
    }
}
