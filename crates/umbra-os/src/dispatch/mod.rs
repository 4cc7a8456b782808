//! From the number of a system call to the facility that carries it out.
//!
//! Nothing is decided here: a row takes the arguments from their registers in the width that the
//! kernel takes them, and calls the facility.

mod attributes;
mod names;
mod process;
mod system;
mod transfers;

use crate::system::{Reply, System};
use umbra_engine::UserMemory;

const CWD: i32 = libc::AT_FDCWD;
const NOFOLLOW: i32 = libc::AT_SYMLINK_NOFOLLOW;

type Call = fn(&mut System, &mut dyn UserMemory, [u64; 6]) -> Reply;
type Row = (i64, Call);

/// More numbers than Linux has given to calls.
const NUMBERS: usize = 512;

static CALLS: [Option<Call>; NUMBERS] =
    by_number(&[transfers::CALLS, names::CALLS, attributes::CALLS, process::CALLS, system::CALLS]);

const fn by_number(facilities: &[&[Row]]) -> [Option<Call>; NUMBERS] {
    let mut calls = [None; NUMBERS];
    let mut facility = 0;
    while facility < facilities.len() {
        let mut row = 0;
        while row < facilities[facility].len() {
            let (number, call) = facilities[facility][row];
            assert!(calls[number as usize].is_none(), "a call has two rows");
            calls[number as usize] = Some(call);
            row += 1;
        }
        facility += 1;
    }
    calls
}

impl System {
    pub(crate) fn dispatch(
        &mut self,
        memory: &mut dyn UserMemory,
        number: u64,
        arguments: [u64; 6],
    ) -> Reply {
        self.note_events(number as i64, arguments[0] as i32);
        match usize::try_from(number).ok().and_then(|number| *CALLS.get(number)?) {
            Some(call) => call(self, memory, arguments),
            None => self.unmodelled(number),
        }
    }
}
