//! From a fault to a report.

use umbra_words::Version;

use super::{Machine, Stop};
use crate::code::Place;
use crate::memory::{Access, AccessKind, Age, Fault, FaultKind, Life, Object, ObjectKind, Trace};
use crate::shadow::Mode;
use crate::state::{Frame, FrameKind};
use crate::termination::{ErrorKind, ErrorReport, ObjectReport, Termination, bytes};

/// Deeper stacks are shown with their middle left out.
const SHOWN: usize = 64;

impl Machine<'_> {
    /// The end of the path by an error at the current operation.
    pub(super) fn error(&self, kind: ErrorKind, detail: String) -> Stop {
        self.report(kind, detail, None, None)
    }

    fn report(
        &self,
        kind: ErrorKind,
        detail: String,
        access: Option<Access>,
        object: Option<ObjectReport>,
    ) -> Stop {
        let stack = self.call_stack();
        Stop::end(Termination::Error(Box::new(ErrorReport { kind, access, detail, stack, object })))
    }

    /// The end of the path at something that is not modelled.
    pub(super) fn stop_unsupported(&self, what: String) -> Stop {
        Stop::end(Termination::Unsupported { what, stack: self.call_stack() })
    }

    /// The end of the path by a bad access at the current operation.
    pub(super) fn fault(&mut self, fault: Fault) -> Stop {
        let Fault { kind, access } = fault;
        if kind == FaultKind::Apart {
            return Stop::Apart;
        }
        if let FaultKind::Race | FaultKind::Unwatched = kind {
            return self.stop_race(kind, access);
        }
        let Some(error) = ErrorKind::of_access(kind, access.kind) else {
            return self.stop_unsupported("symbolic data".to_owned());
        };
        if let Some(base) = self.indexed_from(access.address) {
            return self.fault_of(access, base);
        }
        let object = match kind {
            FaultKind::Null | FaultKind::Wild | FaultKind::Function => None,
            _ => self.state.memory.origin(access.address),
        };
        self.fault_with(error, kind, access, object)
    }

    /// The end of the path where what it does depends on an order of threads that nothing fixes.
    fn stop_race(&self, kind: FaultKind, access: Access) -> Stop {
        if kind == FaultKind::Unwatched {
            return self.stop_unsupported("threads that access more than 4 MiB".to_owned());
        }
        let how = match access.kind {
            AccessKind::Read => "read of",
            AccessKind::Write => "write to",
            AccessKind::Free => "free of",
        };
        let object = self.state.memory.object(access.address);
        let what = object.map_or_else(String::new, |object| {
            let report = self.describe(object, access);
            format!(" {}", report.description)
        });
        self.stop_unsupported(format!(
            "a race of threads: {how}{what} that another thread uses, without an order between the two"
        ))
    }

    /// The pointer into another object that the current operation adds an index to, which makes the bad
    /// address: it is out of that object's bounds, however far.
    fn indexed_from(&mut self, address: u64) -> Option<u64> {
        let slot = self.image.ops[self.state.pc as usize].base_pointer()?;
        let index = self.state.frames.last()?.base as usize + slot as usize;
        let base = match self.state.values[index] {
            Some(value) => self.evaluate(value),
            None => self.state.registers[index],
        };
        let memory = &self.state.memory;
        let object = memory.object(base)?;
        let elsewhere = memory.object(address).is_none_or(|other| other.base != object.base);
        (elsewhere && base.wrapping_sub(object.base) <= object.size).then_some(base)
    }

    /// The end of the path by an access that is not inside the object around `address`, or comes after its
    /// end.
    pub(super) fn fault_of(&self, access: Access, address: u64) -> Stop {
        let kind = self.state.memory.missed(address);
        match ErrorKind::of_access(kind, access.kind) {
            Some(error) => self.fault_with(error, kind, access, self.state.memory.origin(address)),
            None => self.stop_unsupported("symbolic data".to_owned()),
        }
    }

    fn fault_with(
        &self,
        error: ErrorKind,
        kind: FaultKind,
        access: Access,
        object: Option<(&Object, Age)>,
    ) -> Stop {
        if let (FaultKind::OutOfBounds, Some((object, _))) = (kind, object)
            && object.kind == ObjectKind::Lazy
        {
            // Nobody knows how large the object really is.
            return Stop::end(Termination::Limit("size of an object behind an argument"));
        }
        let report = object.map(|(object, age)| match age {
            Age::Present => self.describe(object, access),
            Age::Past => describe_past(object),
        });
        self.report(error, String::new(), Some(access), report)
    }

    fn describe(&self, object: &Object, access: Access) -> ObjectReport {
        let Access { address, .. } = access;
        let place = |function| format!(" in {}", self.image.function_name(function));
        let size = bytes(object.size);
        let description = match object.kind {
            ObjectKind::Global(global) => {
                let global = &self.image.program.globals[global];
                let identity = global.identity.as_ref();
                let name = identity.map_or(&global.name, |identity| &identity.name);
                format!("global `{name}` of {size}")
            }
            ObjectKind::Local(local) => {
                let local = &self.image.locals[local as usize];
                let name = match local.name.as_str() {
                    "" => "local variable".to_owned(),
                    name => format!("local variable `{name}`"),
                };
                format!("{name} of {size}{}", place(local.function))
            }
            ObjectKind::Heap => format!("heap object of {size}"),
            ObjectKind::Mapped => format!("mapping of {size}"),
            ObjectKind::Frame(function) => format!("frame{}", place(function)),
            ObjectKind::Variadic(function) => format!("variable arguments{}", place(function)),
            ObjectKind::ByValue(function) => format!("argument of {size}{}", place(function)),
            ObjectKind::Lazy => format!("object of {size} behind an argument"),
            ObjectKind::Startup => format!("argument or environment string of {size}"),
        };
        let offset = address.wrapping_sub(object.base) as i64;
        let relation = if offset < 0 {
            format!("{} before", bytes(offset.unsigned_abs()))
        } else if offset as u64 >= object.size {
            format!("{} after the end of", bytes(offset as u64 - object.size))
        } else {
            format!("{} into", bytes(offset as u64))
        };
        let is_heap = matches!(object.kind, ObjectKind::Heap | ObjectKind::Mapped);
        let made = if is_heap { self.places(object.made) } else { Vec::new() };
        let freed = is_heap && object.life == Life::Freed;
        let freed = if freed { self.places(object.ended) } else { Vec::new() };
        ObjectReport { description, relation, made, freed }
    }

    fn places(&self, trace: Trace) -> Vec<Place> {
        let calls = trace.0.into_iter().take_while(|&pc| pc != 0);
        let mut places: Vec<Place> = calls.flat_map(|pc| self.places_at(pc)).collect();
        cut_below_main(&mut places);
        places
    }

    /// Where an operation is in the text of the version that runs, the new one if both do.
    fn places_at(&self, pc: u32) -> Vec<Place> {
        let old = self.state.shadow.active && self.state.shadow.mode == Mode::Old;
        self.image.places_in(pc, if old { Version::Old } else { Version::New })
    }

    /// The call stack at the current operation, the innermost place first.
    pub(super) fn call_stack(&self) -> Vec<Place> {
        self.stack_of(self.state.pc, &self.state.frames)
    }

    /// The call stack of a state that stands at `pc` with these calls.
    pub(super) fn stack_of(&self, pc: u32, frames: &[Frame]) -> Vec<Place> {
        let mut places = self.places_at(pc);
        for frame in frames.iter().rev() {
            match frame.kind {
                FrameKind::Call => places.extend(self.places_at(frame.return_pc - 1)),
                FrameKind::Handler => places.push(Place {
                    function: "signal handler called".to_owned(),
                    file: String::new(),
                    line: 0,
                    column: 0,
                }),
                FrameKind::Entry | FrameKind::Thread => {}
            }
            if places.len() >= SHOWN {
                break;
            }
        }
        cut_below_main(&mut places);
        places
    }
}

/// Leaves out how libc came to call `main`: it is always the same.
fn cut_below_main(places: &mut Vec<Place>) {
    if let Some(last) = places.iter().rposition(|place| place.function == "main") {
        places.truncate(last + 1);
    }
}

/// What can be said of an object that was here before `present`.
fn describe_past(present: &Object) -> ObjectReport {
    let description = match present.kind {
        ObjectKind::Heap | ObjectKind::Mapped => {
            "a heap object that was freed; its place was used again since"
        }
        _ => "a local variable of a call that has returned; its place was used again since",
    };
    ObjectReport {
        description: description.to_owned(),
        relation: "in".to_owned(),
        made: Vec::new(),
        freed: Vec::new(),
    }
}
