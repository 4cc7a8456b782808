//! Calls, returns and local variables, where words alone do not do.

use umbra_expr::ExprId;
use umbra_ir::{ByValue, FunctionId, Id, Type};

use super::{Machine, Step};
use crate::code::{CallSite, Slot, Word, external_call};
use crate::memory::{Contents, FUNCTIONS, Fault, ObjectKind};
use crate::state::{FRAME_COST, Frame, FrameKind, WINDOW};
use crate::termination::ErrorKind;

/// Functions of libc that take whatever arguments the kernel may want, and read them whether they
/// were passed or not: those that were not are zero.
const SYSTEM_CALL_WRAPPERS: [&str; 8] =
    ["fcntl", "ioctl", "mremap", "open", "openat", "prctl", "ptrace", "syscall"];

/// An argument on its way to a callee.
#[derive(Clone, Debug)]
pub(super) struct Passed {
    pub words: Vec<u64>,
    /// The words that are expressions; empty if none is.
    pub values: Vec<Option<ExprId>>,
    pub ty: Type,
    pub by_value: Option<ByValue>,
}

impl Passed {
    /// A number of one word.
    pub(super) fn word(value: u64, ty: Type) -> Self {
        Self { words: vec![value], values: Vec::new(), ty, by_value: None }
    }
}

impl Machine<'_> {
    /// Calls a function whatever its parameters are: those that are missing are zero, those too
    /// many are dropped or, for a variadic function, put where `va_arg` finds them.
    #[inline(never)]
    pub(super) fn call(&mut self, function: FunctionId, site: u32) -> Step {
        let call = &self.image.sites[site as usize];
        self.check_arguments(function, call)?;
        let mut arguments = self.arguments(call);
        for argument in arguments.iter_mut().filter(|argument| argument.by_value.is_some()) {
            if let Some(Some(address)) = argument.values.pop() {
                argument.words[0] = self.fix_expression(address)?;
            }
        }
        let return_pc = self.state.pc + 1;
        self.push_frame(function, &arguments, FrameKind::Call, return_pc, site, call.frame)
    }

    /// An integer is not passed where a float is, so that the callee would not find it.
    fn check_arguments(&self, function: FunctionId, call: &CallSite) -> Step {
        let definition = &self.image.program.functions[function];
        let pairs = definition.parameters.iter().zip(&call.arguments);
        let is_float = |ty: Type| matches!(ty, Type::Float(_));
        let mut mixed = pairs.filter(|(ty, given)| is_float(**ty) != is_float(given.ty));
        let Some((parameter, argument)) = mixed.next() else {
            return Ok(());
        };
        let name = self.image.function_name(function);
        let given = argument.ty;
        let detail = format!("call of {name} with {given} where it takes {parameter}");
        Err(self.error(ErrorKind::BadFunctionPointer, detail))
    }

    /// The arguments of a call, read from the current frame.
    pub(super) fn arguments(&mut self, call: &CallSite) -> Vec<Passed> {
        let frame = self.state.frames.last();
        let (base, symbolic) = frame.map_or((0, 0), |frame| (frame.base as usize, frame.symbolic));
        let (window, held) = (&self.state.registers[base..], &self.state.values[base..]);
        let passed = call.arguments.iter().map(|argument| {
            let first = argument.word as usize;
            let places = &call.words[first..first + argument.ty.words()];
            let words = places.iter().map(|word| word.get(window)).collect();
            let mut values = Vec::new();
            if symbolic != 0 {
                values.extend(places.iter().map(|word| match word {
                    Word::Slot(slot) => held[*slot as usize],
                    Word::Value(_) => None,
                }));
            }
            Passed { words, values, ty: argument.ty, by_value: argument.by_value }
        });
        passed.collect()
    }

    /// Starts a call of `function` on top of the stack.
    pub(super) fn push_frame(
        &mut self,
        function: FunctionId,
        arguments: &[Passed],
        kind: FrameKind,
        return_pc: u32,
        site: u32,
        caller_frame: u32,
    ) -> Step {
        let code = &self.image.functions[function.index()];
        let Some(entry) = code.entry else {
            let name = &self.image.program.functions[function].name;
            return Err(self.stop_unsupported(external_call(name)));
        };
        if self.state.stack_used + FRAME_COST > self.state.limits.stack {
            let depth = format!("{} calls deep", self.state.frames.len());
            return Err(self.error(ErrorKind::StackOverflow, depth));
        }
        let base = self.state.frames.last().map_or(0, |frame| frame.base) + caller_frame;
        let needed = base as usize + code.frame as usize + 2 * WINDOW;
        self.state.reserve(needed);
        let objects = self.state.objects.len() as u32;
        let definition = &self.image.program.functions[function];
        let mut words = Vec::with_capacity(code.parameter_words as usize);
        let mut values = Vec::new();
        for (index, &parameter) in definition.parameters.iter().enumerate() {
            match arguments.get(index) {
                Some(argument) => {
                    let value = self.pass(function, argument)?;
                    let first = words.len();
                    convert(&value, argument.ty, parameter, &mut words);
                    self.convert_values(argument, parameter, first, &mut values);
                }
                None => words.resize(words.len() + parameter.words(), 0),
            }
        }
        let variadic = match definition.variadic {
            true => {
                let rest = arguments.get(definition.parameters.len()..).unwrap_or(&[]);
                self.pass_variadic(function, rest)?
            }
            false => 0,
        };
        let start = base as usize;
        self.state.registers[start..start + words.len()].copy_from_slice(&words);
        self.state.stack_used += FRAME_COST;
        let serial = self.state.next_serial;
        self.state.next_serial += 1;
        let symbolic = 0;
        let frame =
            Frame { function, kind, base, return_pc, site, objects, serial, variadic, symbolic };
        self.state.frames.push(frame);
        for (slot, value) in values {
            self.put(slot, value);
        }
        let header = &self.image.headers[entry as usize];
        self.shared.coverage.cover(entry);
        self.state.instructions += u64::from(header.weight);
        self.state.pc = header.pc;
        Ok(())
    }

    /// The words of an argument; one passed by value is copied, and its words are the address.
    fn pass(&mut self, function: FunctionId, argument: &Passed) -> Step<Vec<u64>> {
        let Some(ByValue { size, align }) = argument.by_value else {
            return Ok(argument.words.clone());
        };
        let address = self.stack_object(ObjectKind::ByValue(function), size, align.into())?;
        self.copy_memory(address, argument.words[0], size)?;
        Ok(vec![address])
    }

    /// The words of an argument that are expressions, as they are passed for a parameter whose
    /// first word is `first`.
    fn convert_values(
        &mut self,
        argument: &Passed,
        parameter: Type,
        first: usize,
        values: &mut Vec<(Slot, ExprId)>,
    ) {
        let bits = parameter.bits();
        for (word, value) in argument.values.iter().enumerate().take(parameter.words()) {
            if let Some(value) = value {
                let width = (bits - 64 * word as u32).min(64);
                let width = width.min(self.shared.expressions.width(*value));
                let value = self.shared.expressions.extract(*value, 0, width);
                values.push(((first + word) as Slot, value));
            }
        }
    }

    /// Lays out the arguments behind the `...` as the x86-64 convention does on the stack: eight
    /// bytes each, more and aligned to sixteen for wide ones.
    fn pass_variadic(&mut self, function: FunctionId, arguments: &[Passed]) -> Step<u64> {
        let mut places = Vec::with_capacity(arguments.len());
        // `va_arg` rounds addresses up, so those of the area itself must be as round as any argument's.
        let (mut size, mut round) = (0u64, 16);
        for argument in arguments {
            let (bytes, align) = match argument.by_value {
                Some(ByValue { size, align }) => (size, u64::from(align).max(8)),
                None if argument.ty.words() > 1 => (8 * argument.ty.words() as u64, 16),
                None => (8, 8),
            };
            size = size.next_multiple_of(align);
            round = round.max(align);
            places.push(size);
            size += bytes.next_multiple_of(8);
        }
        let name = self.image.program.functions[function].name.as_str();
        let padding = if SYSTEM_CALL_WRAPPERS.contains(&name) { 8 * 6 } else { 0 };
        let address = self.stack_object(ObjectKind::Variadic(function), size + padding, round)?;
        let memory = &mut self.state.memory;
        memory.fill(address + size, 0, padding).map_err(|fault| self.fault(*fault))?;
        for (argument, offset) in arguments.iter().zip(places) {
            let to = address + offset;
            if let Some(ByValue { size, .. }) = argument.by_value {
                self.copy_memory(to, argument.words[0], size)?;
                continue;
            }
            for (index, word) in argument.words.iter().enumerate() {
                let to = to + 8 * index as u64;
                let written = match argument.values.get(index).copied().flatten() {
                    Some(value) => self.store_value(to, value),
                    None => self.state.memory.write(to, &word.to_le_bytes()),
                };
                written.map_err(|fault| self.fault(*fault))?;
            }
        }
        Ok(address)
    }

    /// Calls what is at `address`.
    #[inline(never)]
    pub(super) fn call_indirect(&mut self, address: u64, site: u32) -> Step {
        let Some(function) = self.image.function_at(address) else {
            let detail = match address {
                _ if address < FUNCTIONS.start => format!("call of null pointer {address:#x}"),
                _ => format!("call of {address:#x}, which is not a function"),
            };
            return Err(self.error(ErrorKind::BadFunctionPointer, detail));
        };
        match self.image.functions[function.index()].builtin {
            Some(builtin) => self.call_builtin(builtin, site),
            None => self.call(function, site),
        }
    }

    fn store_value(&mut self, to: u64, value: ExprId) -> Result<(), Box<Fault>> {
        let bytes = self.word_bytes(value);
        self.state.memory.write_bytes(to, &bytes)
    }

    /// Ends the current call; `words` are its results.
    #[inline(never)]
    pub(super) fn return_words(&mut self, words: &[u64]) -> Step {
        let Some(frame) = self.state.frames.last() else {
            return Err(self.stop_unsupported("return without a call".to_owned()));
        };
        if frame.kind != FrameKind::Call {
            let value = words.first().copied().unwrap_or(0);
            return self.return_to_machine(value);
        }
        let (objects, site, return_pc) = (frame.objects, frame.site, frame.return_pc);
        if frame.symbolic != 0 {
            self.forget_expressions();
        }
        self.state.frames.pop();
        self.state.stack_used -= FRAME_COST;
        self.end_objects(objects as usize);
        let call = &self.image.sites[site as usize];
        let window = self.state.window();
        for (index, &slot) in call.results.iter().enumerate() {
            window[slot as usize] = words.get(index).copied().unwrap_or(0);
        }
        self.forget_results(site);
        self.state.pc = return_pc;
        Ok(())
    }

    /// Ends the stack objects above the first `keep`.
    pub(super) fn end_objects(&mut self, keep: usize) {
        while self.state.objects.len() > keep {
            let Some(address) = self.state.objects.pop() else {
                break;
            };
            let freed = self.state.memory.end_local(address);
            self.state.stack_used = self.state.stack_used.saturating_sub(freed);
        }
    }

    /// A new stack object of the call that is being made or running.
    pub(super) fn stack_object(&mut self, kind: ObjectKind, size: u64, align: u64) -> Step<u64> {
        let fits = self.state.stack_used.saturating_add(size) <= self.state.limits.stack;
        let trace = Default::default();
        let address = fits
            .then(|| self.state.memory.allocate(kind, size, align, Contents::Uninitialised, trace))
            .flatten();
        let Some(address) = address else {
            let detail = format!("no room for a local object of {size} bytes");
            return Err(self.error(ErrorKind::StackOverflow, detail));
        };
        self.state.stack_used += size;
        self.state.objects.push(address);
        Ok(address)
    }

    /// A local variable of `count` elements.
    pub(super) fn alloca(&mut self, d: u16, local: u32, count: u64) -> Step {
        let variable = &self.image.locals[local as usize];
        let size = variable.size.saturating_mul(count);
        let address = self.stack_object(ObjectKind::Local(local), size, variable.align.into())?;
        self.state.window()[d as usize] = address;
        self.state.pc += 1;
        Ok(())
    }
}

/// Appends an argument of one type as a parameter of another: cut or extended by zeros, as the
/// registers of a real machine would pass it.
fn convert(words: &[u64], from: Type, to: Type, result: &mut Vec<u64>) {
    let start = result.len();
    result.extend_from_slice(words);
    result.resize(start + to.words(), 0);
    if to.bits() < from.bits() && !to.bits().is_multiple_of(64) {
        result[start + to.words() - 1] &= u64::MAX >> (64 - to.bits() % 64);
    }
}
