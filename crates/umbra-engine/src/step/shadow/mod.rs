//! Two versions in one machine.
//!
//! In mode *both* every operation is done once: what differs between the versions is a pair, and
//! an operation on pairs yields an expression with pairs. Where that does not do (the operation has
//! to know a number, or its effect differs in kind), it stops with [`Stop::Apart`] before it has
//! changed anything. The versions then run one after the other from the same state: the old one
//! first, up to a place where it waits, then the new one under the conditions that the old one has
//! met on its way ([`alone`]). At the same place they go on together: slots and bytes that differ
//! become pairs ([`join`]), but for those that are equal on every input of the path ([`settle`]). At different places they have parted for good, and the new one goes on
//! ([`diverge`]). Branches, switches and indirect calls of the program itself are decided for each
//! version in turn, without leaving the state ([`decide`]); those of a library are nobody's divergence ([`library`]).
//!
//! A block that is only a weak place (it holds changes, or leads each version its own way) proves little.
//! Where the versions go different ways from one, they run alone to the next strong block; if that is the
//! same, the divergence is forgotten, else it is reported where it was noted. Versions that were unified by us then have
//! another chance: where they leave the call in the same state, nothing has happened either.
//!
//! Behind the split the new version goes on alone. Where its path has ended, the old one is followed
//! from the split under what holds there, each of its paths ([`behind`]): so what both leave behind can
//! be compared.
//!
//! While a version runs alone it forks as ever, and each of its forks carries the other version
//! with it; so all combinations of their paths come to be without further book-keeping.

mod alone;
mod behind;
mod count;
mod decide;
mod diverge;
mod join;
mod library;
mod provenance;
mod settle;
mod trail;

use umbra_ir::Id;

use super::Machine;
pub use behind::OldFollowed;

use crate::shadow::Mode;

impl Machine<'_> {
    /// Goes on as one version, or as both. What slots hold is projected at once, what memory holds
    /// when it is read.
    pub(super) fn enter_mode(&mut self, mode: Mode) {
        self.count_instructions();
        self.state.shadow.mode = mode;
        self.state.memory.set_together(mode == Mode::Both);
        if mode == Mode::Old {
            self.state.memory.exchange_twins();
        }
        self.shared.side = self.state.shadow.side();
        let Some(side) = self.shared.side else { return };
        for frame in self.state.frames.iter().filter(|frame| frame.symbolic != 0) {
            let base = frame.base as usize;
            let end = base + self.image.functions[frame.function.index()].frame as usize;
            for index in base..end {
                let Some(value) = self.state.values[index] else { continue };
                let value = self.shared.expressions.project(value, side);
                self.state.values[index] = match self.shared.expressions.constant_u64(value) {
                    Some(number) => {
                        self.state.registers[index] = number;
                        None
                    }
                    None => Some(value),
                };
            }
        }
    }
}
