//! Signal handlers, which run between a system call and its return.

use umbra_ir::Type;

use super::calls::Passed;
use super::{Machine, Step};
use crate::environment::{Answer, SignalDelivery};
use crate::memory::ObjectKind;
use crate::state::{FrameKind, PendingSignals};
use crate::termination::ErrorKind;

/// Sizes of the kernel's `siginfo_t` and `ucontext_t`.
const SIGNAL_INFO: u64 = 128;
const CONTEXT: u64 = 936;

impl Machine<'_> {
    /// Runs the handlers, then lets the system call of `site` return `result`.
    pub(super) fn deliver(
        &mut self,
        mut deliveries: Vec<SignalDelivery>,
        result: u64,
        site: u32,
    ) -> Step {
        deliveries.reverse();
        let return_pc = self.state.pc + 1;
        self.state.signals.push(PendingSignals { deliveries, result, site, return_pc });
        self.next_handler()
    }

    fn next_handler(&mut self) -> Step {
        let Some(pending) = self.state.signals.last() else {
            return Ok(());
        };
        let (site, return_pc) = (pending.site, pending.return_pc);
        let Some(&delivery) = pending.deliveries.last() else {
            let result = pending.result;
            self.state.signals.pop();
            let call = &self.image.sites[site as usize];
            if let Some(&slot) = call.results.first() {
                self.state.window()[slot as usize] = result;
            }
            self.forget_results(site);
            self.state.pc = return_pc;
            return Ok(());
        };
        let Some(function) = self.image.function_at(delivery.handler) else {
            let detail = format!("signal handler {:#x} is not a function", delivery.handler);
            return Err(self.error(ErrorKind::BadFunctionPointer, detail));
        };
        let number = Passed::word(u64::from(delivery.signal as u32), Type::Integer(32));
        let mut arguments = vec![number];
        let first_object = self.state.objects.len();
        if delivery.with_info {
            for size in [SIGNAL_INFO, CONTEXT] {
                let address = self.stack_object(ObjectKind::ByValue(function), size, 16)?;
                let memory = &mut self.state.memory;
                memory.fill(address, 0, size).map_err(|fault| self.fault(*fault))?;
                arguments.push(Passed::word(address, Type::Pointer));
            }
            let number = (delivery.signal as u32).to_le_bytes();
            let info = arguments[1].words[0];
            self.state.memory.write(info, &number).map_err(|fault| self.fault(*fault))?;
        }
        let caller_frame = self.image.sites[site as usize].frame;
        self.push_frame(function, &arguments, FrameKind::Handler, return_pc, site, caller_frame)?;
        if let Some(frame) = self.state.frames.last_mut() {
            // The objects made for the handler end with it.
            frame.objects = first_object as u32;
        }
        Ok(())
    }

    /// A handler has returned: the next one, or the system call's return.
    pub(super) fn handler_returned(&mut self) -> Step {
        if let Some(pending) = self.state.signals.last_mut()
            && let Some(delivery) = pending.deliveries.pop()
        {
            match self.state.environment.handler_returned(&delivery) {
                Answer::Return(_) => {}
                Answer::Interrupted { deliveries, .. } => {
                    pending.deliveries.extend(deliveries.into_iter().rev());
                }
                other => return self.end_process(other),
            }
        }
        self.next_handler()
    }
}
