//! Calls and intrinsics.

use umbra_ir::{Argument, Callee, Id, Intrinsic, Operand, RegisterId, Type};

use super::{Lowered, Lowering};
use crate::code::op::{CallArgument, CallSite, Op, Rare, Signature, Slot, Word};

impl Lowering<'_> {
    pub(super) fn lower_call(
        &mut self,
        destinations: &[RegisterId],
        callee: Callee,
        arguments: &[Argument],
    ) -> Lowered {
        let mut site = CallSite::default();
        for argument in arguments {
            let ty = self.type_of(argument.operand);
            let word = site.words.len() as u16;
            match argument.operand {
                Operand::Constant(id) if !self.is_of_thread(argument.operand) => {
                    let words = self.image.constant_words(&self.program.constants[id]);
                    site.words.extend(words.into_iter().map(Word::Value));
                }
                _ => {
                    let slot = self.read(argument.operand)?;
                    site.words.extend((slot..slot + ty.words() as Slot).map(Word::Slot));
                }
            }
            site.arguments.push(CallArgument { word, ty, by_value: argument.by_value });
        }
        let plain = arguments.iter().all(|argument| argument.by_value.is_none());
        if plain {
            let types = site.arguments.iter().map(|argument| argument.ty).collect();
            site.signature = self.image.intern_signature(types);
        } else {
            site.signature = Signature::SPECIAL_CALL;
        }
        let index = self.image.sites.len() as u32;
        let op = match callee {
            Callee::Indirect(address) => {
                let a = self.read(address)?;
                Op::CallIndirect { a, site: index }
            }
            Callee::Direct(function) => {
                site.callee = Some(function);
                let definition = &self.program.functions[function];
                match self.image.functions[function.index()].builtin {
                    Some(builtin) => Op::CallBuiltin { builtin, site: index },
                    None if definition.body.is_some() => Op::Call { site: index, function },
                    None => {
                        self.emit_unsupported(external_call(&definition.name));
                        return Ok(());
                    }
                }
            }
        };
        for &destination in destinations {
            let ty = self.body.registers[destination];
            let slot = self.write(destination);
            site.results.extend((0..ty.words() as Slot).map(|word| slot + word));
            site.result_types.push(ty);
        }
        self.image.sites.push(site);
        self.emit(op);
        Ok(())
    }

    pub(super) fn lower_intrinsic(
        &mut self,
        destinations: &[RegisterId],
        intrinsic: Intrinsic,
        arguments: &[Operand],
    ) -> Lowered {
        let mut a = Vec::new();
        for &argument in arguments {
            a.push(self.read(argument)?);
        }
        match (intrinsic, a.as_slice()) {
            (Intrinsic::Synchronize, &[a]) => {
                self.emit(Op::Synchronize { a });
                return Ok(());
            }
            // In the libc a volatile variable is one that threads share.
            (Intrinsic::Volatile, &[a]) => {
                if self.image.functions[self.function.index()].library {
                    self.emit(Op::Synchronize { a });
                }
                return Ok(());
            }
            _ => {}
        }
        let d: Vec<Slot> = destinations.iter().map(|&register| self.write(register)).collect();
        let first = arguments.first().map(|&argument| self.type_of(argument));
        let result = destinations.first().map(|&register| self.body.registers[register]);
        let ty = first.or(result).unwrap_or(Type::Pointer);
        let bits = result.unwrap_or(ty).bits();
        self.emit_rare(Rare::Intrinsic { intrinsic, ty, d, a, bits });
        Ok(())
    }
}

/// What a call of a function without definition is called.
pub(crate) fn external_call(name: &str) -> String {
    format!("call of external function `{name}`")
}
