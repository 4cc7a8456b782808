//! Functions by which a program speaks of its inputs, and other functions of the machine when they
//! are given expressions.

use std::sync::Arc;

use umbra_expr::{ArrayId, ExprId};
use umbra_ir::Type;

use super::decide::Side;
use crate::code::{Builtin, InputCall, OBJECT, Slot, Word};
use crate::environment::Byte;
use crate::fork::{ForkReason, Found};
use crate::memory::{Access, AccessKind, Contents, ObjectKind, Trace};
use crate::path::{Input, List};
use crate::step::{Machine, Step, Stop};
use crate::termination::{ErrorKind, Termination};

/// The system calls that end the process.
const EXIT: u64 = 60;
const EXIT_GROUP: u64 = 231;

/// Names and messages are read up to this many bytes.
const MAX_NAME: u64 = 4096;

impl Machine<'_> {
    /// Calls a function of the machine with expressions among its arguments.
    pub(super) fn symbolic_builtin(&mut self, builtin: Builtin, site: u32) -> Step {
        match builtin {
            Builtin::Input(call) => self.input_call(call, site),
            Builtin::MemorySet if self.argument_symbol(site, 1).is_some() => {
                let (to, length) = (self.argument(site, 0, 64), self.argument(site, 2, 64));
                self.check_ranges(&[to], length)?;
                let byte = self.argument(site, 1, 8);
                let (to, length) = (self.fix_argument(site, 0)?, self.fix_argument(site, 2)?);
                self.fill_memory(to, byte, length)?;
                self.finish_builtin(to, site);
                Ok(())
            }
            // A child's end is not the path's: its status is a number for its parent.
            Builtin::SystemCall if self.state.parents.is_empty() && self.is_exit(site) => {
                // The path ends whatever the status is: all of them are one path.
                let status = self.argument(site, 1, 8);
                let number = self.evaluate(status);
                self.state.exit_status = Some(status);
                Err(Stop::end(Termination::Exited(number as i32)))
            }
            Builtin::MemoryCopy => {
                let (to, from) = (self.argument(site, 0, 64), self.argument(site, 1, 64));
                let length = self.argument(site, 2, 64);
                self.check_ranges(&[to, from], length)?;
                self.fix_operands()
            }
            Builtin::MemorySet => {
                let (to, length) = (self.argument(site, 0, 64), self.argument(site, 2, 64));
                self.check_ranges(&[to], length)?;
                self.fix_operands()
            }
            _ => self.fix_operands(),
        }
    }

    fn is_exit(&self, site: u32) -> bool {
        let words = &self.image.sites[site as usize].words;
        let number = words.first().map(|word| word.get(&self.state.registers[self.base()..]));
        self.argument_symbol(site, 0).is_none() && matches!(number, Some(EXIT | EXIT_GROUP))
    }

    /// Carries out a function that concerns inputs.
    pub(in crate::step) fn input_call(&mut self, call: InputCall, site: u32) -> Step {
        match call {
            InputCall::MakeSymbolic => {
                let (to, size) = (self.fix_argument(site, 0)?, self.fix_argument(site, 1)?);
                let name = self.argument_text(site, 2)?;
                self.make_symbolic(to, size, &name)?;
                self.finish_input(None, site);
            }
            InputCall::Assume => {
                let condition = self.argument(site, 0, 64);
                let condition = self.not_zero(condition);
                self.assume(condition)?;
                self.finish_input(None, site);
            }
            InputCall::AssumePossible => {
                let condition = self.argument(site, 0, 64);
                let condition = self.not_zero(condition);
                self.check_possible(condition)?;
                self.assume(condition)?;
                self.finish_input(None, site);
            }
            InputCall::IsSymbolic => {
                let symbolic = u64::from(self.argument_symbol(site, 0).is_some());
                self.finish_builtin(symbolic, site);
            }
            InputCall::Prefer => {
                let condition = self.argument(site, 1, 64);
                let condition = self.not_zero(condition);
                let condition = self.shared.expressions.project_new(condition);
                Arc::make_mut(&mut self.state.path.preferences).push(condition);
                self.finish_input(None, site);
            }
            InputCall::GetValue => {
                let value = self.argument(site, 0, 64);
                let number = self.choose_value(value)?;
                self.finish_builtin(number, site);
            }
            InputCall::Range => {
                let (begin, end) = (self.argument(site, 0, 32), self.argument(site, 1, 32));
                let name = self.argument_text(site, 2)?;
                let (array, name) = self.input_array(&name, 4);
                let value = self.number(array, 4);
                let (low, high) = (
                    self.shared.expressions.sle(begin, value),
                    self.shared.expressions.slt(value, end),
                );
                let within = self.shared.expressions.and(low, high);
                self.assume(within)?;
                self.add_input(name, array, 4);
                self.finish_input(Some(value), site);
            }
            InputCall::Int => {
                let name = self.argument_text(site, 0)?;
                self.new_number(&name, 4, site);
            }
            InputCall::Nondeterministic(size) => {
                let function = self.called_name(site);
                let name = function.strip_prefix("__VERIFIER_").unwrap_or(&function).to_owned();
                self.new_number(&name, size.into(), site);
            }
            InputCall::Argument(size) => {
                let name = self.argument_name(site);
                let (array, name) = self.input_array(&name, size.into());
                let value = self.number(array, size.into());
                self.add_input(name, array, size.into());
                if self.returns_pointer(site) {
                    Arc::make_mut(&mut self.state.path.lazy).push(array);
                }
                self.finish_input(Some(value), site);
            }
            InputCall::Object => {
                let function = self.called_name(site);
                let size = function.strip_prefix(OBJECT).and_then(|rest| rest.split('_').next());
                let size = size.and_then(|size| size.parse().ok()).unwrap_or(0);
                let name = self.argument_name(site);
                let address = self.lazy_object(size, &format!("*{name}"))?;
                self.finish_builtin(address, site);
            }
            InputCall::Result => {
                let words = self.image.sites[site as usize].words.len();
                let mut result = self.argument(site, 0, 64);
                for index in 1..words {
                    let word = self.argument(site, index, 64);
                    result = self.shared.expressions.concat(word, result);
                }
                if let Some(left) = self.state.exit_status {
                    result = self.shared.expressions.concat(left, result);
                }
                self.state.exit_status = Some(result);
                self.finish_input(None, site);
            }
            InputCall::Left => {
                self.state.exit_status = self.left_behind(site)?;
                self.finish_input(None, site);
            }
            InputCall::CallPointer => return self.call_pointer(site),
            InputCall::SilentExit => return Err(Stop::end(Termination::Silent)),
            InputCall::ReportError => {
                let message = self.argument_text(site, 2)?;
                return Err(self.error(ErrorKind::Reported, message));
            }
            InputCall::Fail => {
                let message = self.argument_text(site, 0)?;
                return Err(self.error(ErrorKind::Reported, message));
            }
            InputCall::AssertFail => {
                let message = self.argument_text(site, 0)?;
                return Err(self.error(ErrorKind::AssertionFailure, message));
            }
            InputCall::CheckAccess => {
                let (address, size) = (self.fix_argument(site, 0)?, self.fix_argument(site, 1)?);
                let access = Access { kind: AccessKind::Read, address, size };
                let checked = self.state.memory.check(access);
                checked.map_err(|fault| self.fault(*fault))?;
                self.finish_input(None, site);
            }
            InputCall::ObjectSize => {
                let address = self.fix_argument(site, 0)?;
                let access = Access { kind: AccessKind::Read, address, size: 0 };
                let checked = self.state.memory.check(access);
                checked.map_err(|fault| self.fault(*fault))?;
                let size = self.state.memory.object(address).map_or(0, |object| object.size);
                self.finish_builtin(size, site);
            }
            InputCall::SetForking => {
                let enable = self.fix_argument(site, 0)?;
                self.state.path.forking = enable != 0;
                self.finish_input(None, site);
            }
            InputCall::FixedObject => {
                let (address, size) = (self.fix_argument(site, 0)?, self.fix_argument(site, 1)?);
                let what = format!("klee_define_fixed_object: {size} bytes at {address:#x}");
                return Err(self.stop_unsupported(what));
            }
            InputCall::Sanitizer(check) => {
                let right = self.argument(site, 2, 64);
                let (kind, detail) = check.error(self.evaluate(right));
                return Err(self.error(kind, detail.to_owned()));
            }
            InputCall::Abort => return Err(self.error(ErrorKind::Abort, String::new())),
            InputCall::ReachError => {
                let detail = "reach_error was reached".to_owned();
                return Err(self.error(ErrorKind::Abort, detail));
            }
        }
        Ok(())
    }

    /// What an argument of a function that is run on its own is called: `argument 1` and so on.
    fn argument_name(&self, site: u32) -> String {
        let function = self.called_name(site);
        let position = function.rsplit('_').next().unwrap_or_default();
        format!("argument {position}")
    }

    fn returns_pointer(&self, site: u32) -> bool {
        self.image.sites[site as usize].result_types.first() == Some(&Type::Pointer)
    }

    /// A new object behind a pointer of unknown origin; its bytes are inputs.
    pub(super) fn lazy_object(&mut self, size: u64, name: &str) -> Step<u64> {
        let (kind, made) = (ObjectKind::Lazy, Trace::default());
        let address = self.state.memory.allocate(kind, size, 16, Contents::Zero, made);
        let Some(address) = address else {
            return Err(Stop::end(Termination::Limit("memory")));
        };
        self.make_symbolic(address, size, name)?;
        let newest = self.state.path.inputs().newest_first().next().map(|input| input.array);
        if let Some(array) = newest {
            Arc::make_mut(&mut self.state.path.lazy).push(array);
        }
        Ok(address)
    }

    /// It is an error if no input of the path meets an assumption: nobody would see what such a path leaves out.
    fn check_possible(&mut self, condition: ExprId) -> Step {
        let possible = match self.shared.expressions.constant_u64(condition) {
            Some(value) => value == 1,
            None => {
                self.check_common(condition)?;
                self.evaluate(condition) == 1 || self.forks.script().is_some() || {
                    let found = self.forks.find(self.shared, &self.state.path, condition);
                    !matches!(found, Found::Nowhere)
                }
            }
        };
        match possible {
            true => Ok(()),
            false => Err(self.error(ErrorKind::InvalidAssumption, String::new())),
        }
    }

    /// One of the values of an expression; the path is bound to it, and no other side takes up what is left.
    fn choose_value(&mut self, value: ExprId) -> Step<u64> {
        let forking = std::mem::replace(&mut self.state.path.forking, false);
        let number = self.fix_expression(value);
        self.state.path.forking = forking;
        number
    }

    /// Only inputs for which the condition holds count.
    fn assume(&mut self, condition: ExprId) -> Step {
        match self.shared.expressions.constant_u64(condition) {
            Some(1) => return Ok(()),
            Some(_) => return Err(Stop::end(Termination::Excluded)),
            None => self.check_common(condition)?,
        }
        if self.evaluate(condition) == 1 {
            self.state.path.assume(&self.shared.expressions, condition);
            return Ok(());
        }
        if let Some(script) = self.forks.script()
            && script.stands_at_assumption()
        {
            self.set_goal(condition);
            self.state.path.assume(&self.shared.expressions, condition);
            return self.arrive(true);
        }
        self.fork(ForkReason::Assumption, &Side { condition, target: None, decision: None });
        // What ends here is all that the assumption leaves out, and nothing else.
        let refused = self.shared.expressions.not(condition);
        self.state.path.decide(&self.shared.expressions, refused, false, &[]);
        Err(Stop::end(Termination::Excluded))
    }

    /// Makes the bytes of an object inputs.
    fn make_symbolic(&mut self, to: u64, size: u64, name: &str) -> Step {
        let Ok(size) = u32::try_from(size) else {
            return Err(self.stop_unsupported(format!("an input of {size} bytes")));
        };
        let (array, name) = self.input_array(name, size);
        let bytes: Vec<Byte> = (0..size)
            .map(|offset| Byte::Symbolic(self.shared.expressions.byte(array, offset)))
            .collect();
        let written = self.state.memory.write_bytes(to, &bytes);
        written.map_err(|fault| self.fault(*fault))?;
        self.add_input(name, array, size);
        Ok(())
    }

    fn new_number(&mut self, name: &str, size: u32, site: u32) {
        let (array, name) = self.input_array(name, size);
        let value = self.number(array, size);
        self.add_input(name, array, size);
        self.finish_input(Some(value), site);
    }

    fn number(&mut self, array: ArrayId, size: u32) -> ExprId {
        let bytes: Vec<Byte> = (0..size)
            .map(|offset| Byte::Symbolic(self.shared.expressions.byte(array, offset)))
            .collect();
        self.join(&bytes)
    }

    /// The array for an input of this name: a second input of one name on a path gets a number, and
    /// inputs of different sizes are different even if they share a name on different paths. The
    /// array's name depends on nothing else, so that it is the same in every worker's table.
    pub(super) fn input_array(&mut self, name: &str, size: u32) -> (ArrayId, Arc<str>) {
        let (ordinal, name) = self.next_of_name(name);
        let number = if ordinal == 0 { String::new() } else { format!("#{ordinal}") };
        let unique = format!("{name}{number}:{size}");
        (self.shared.expressions.input(&unique, size), name)
    }

    /// How many inputs of a name there are. Those of one name mostly come one after the other.
    fn next_of_name(&self, name: &str) -> (u32, Arc<str>) {
        if let Some((before, asked)) = self.state.shadow.asked_alone() {
            return (self.count_asked(before, asked, name), name.into());
        }
        let mut inputs = self.state.path.inputs().newest_first();
        match inputs.find(|input| *input.name == *name) {
            Some(input) => (input.ordinal + 1, Arc::clone(&input.name)),
            None => (0, name.into()),
        }
    }

    /// How many inputs of this name a version has asked for, with these before it ran apart from the other
    /// one. What the other one asks for meanwhile is not among them: each version sees the same
    /// input.
    fn count_asked(&self, before: &List<Input>, asked: &[ArrayId], name: &str) -> u32 {
        let named = |input: &&Input| *input.name == *name;
        let own = self.state.path.inputs().newest_first();
        let own = own.filter(|input| asked.contains(&input.array)).filter(named).count();
        (before.newest_first().filter(named).count() + own) as u32
    }

    pub(super) fn add_input(&mut self, name: Arc<str>, array: ArrayId, size: u32) {
        let (ordinal, name) = self.next_of_name(&name);
        if let Some(asked) = self.state.shadow.asking_alone() {
            asked.push(array);
            if self.state.path.inputs().newest_first().any(|input| input.array == array) {
                return;
            }
        }
        self.state.path.inputs.push(Input { name, array, size, ordinal });
    }

    /// Returns from a function of the machine with an expression, or with zero.
    pub(in crate::step) fn finish_input(&mut self, value: Option<ExprId>, site: u32) {
        self.finish_builtin(0, site);
        let image = self.image;
        if let (Some(value), Some(&slot)) = (value, image.sites[site as usize].results.first()) {
            let bits = image.sites[site as usize].result_types.first().map_or(64, |ty| ty.bits());
            let value = self.fit(value, bits.min(64));
            self.put(slot, value);
        }
    }

    fn argument_slot(&self, site: u32, index: usize) -> Option<Slot> {
        match self.image.sites[site as usize].words.get(index) {
            Some(Word::Slot(slot)) => Some(*slot),
            _ => None,
        }
    }

    fn argument_symbol(&self, site: u32, index: usize) -> Option<ExprId> {
        self.argument_slot(site, index).and_then(|slot| self.symbol(slot))
    }

    pub(super) fn argument(&mut self, site: u32, index: usize, width: u32) -> ExprId {
        match self.image.sites[site as usize].words.get(index) {
            Some(Word::Slot(slot)) => self.expression(*slot, width),
            Some(Word::Value(value)) => self.shared.expressions.constant(width, *value),
            None => self.shared.expressions.constant(width, 0),
        }
    }

    pub(super) fn fix_argument(&mut self, site: u32, index: usize) -> Step<u64> {
        let value = self.argument(site, index, 64);
        self.fix_expression(value)
    }

    /// The string that an argument points to; empty if there is none.
    pub(super) fn argument_text(&mut self, site: u32, index: usize) -> Step<String> {
        let mut address = self.fix_argument(site, index)?;
        let mut text = Vec::new();
        while address != 0 && (text.len() as u64) < MAX_NAME {
            let byte = self.read_bytes(address, 1)?;
            let byte = self.join(&byte);
            match self.fix_expression(byte)? as u8 {
                0 => break,
                byte => text.push(byte),
            }
            address += 1;
        }
        Ok(String::from_utf8_lossy(&text).into_owned())
    }

    /// The name of the function that a call calls.
    fn called_name(&self, site: u32) -> String {
        let callee = self.image.sites[site as usize].callee;
        callee.map_or(String::new(), |function| self.image.program.functions[function].name.clone())
    }
}
