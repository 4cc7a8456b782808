//! Children of the program's process: each runs to its end before its parent goes on.
//!
//! That is one of the orders in which they could run, and the one in which a parent waits at once. A
//! child that needs its parent to go on meanwhile ends the path, and the environment says so.

use std::sync::Arc;

use super::{Machine, Step};
use crate::shadow::Mode;
use crate::state::Waiting;

impl Machine<'_> {
    /// The process has made a child: goes on as the child.
    pub(super) fn begin_child(&mut self, child: i64, site: u32) -> Step {
        self.refuse_alone("fork")?;
        if self.state.threads.is_some() {
            return Err(self.stop_unsupported("fork in a process with threads".to_owned()));
        }
        let process = Arc::new(self.state.fork(self.image));
        self.state.parents.push(Waiting { process, site, child });
        self.finish_builtin(0, site);
        Ok(())
    }

    /// The process has ended: goes on as its parent.
    pub(super) fn return_to_parent(&mut self) -> Step {
        self.refuse_alone("the end of a child process")?;
        let Some(Waiting { process, site, child }) = self.state.parents.pop() else {
            return Err(self.stop_unsupported("the end of a process that is no child".to_owned()));
        };
        self.state.return_to(self.image, &process);
        let mode = self.state.shadow.mode;
        let together = process.shadow.as_ref().is_some_and(|shadow| shadow.mode == Mode::Both);
        if together && mode != Mode::Both {
            // The versions parted in the child: what the parent holds is this version's from here on.
            self.enter_mode(mode);
        }
        self.finish_builtin(child as u64, site);
        Ok(())
    }

    /// While one version of two runs alone, the other one would have no such process.
    fn refuse_alone(&self, what: &str) -> Step {
        match self.state.is_alone() {
            true => Err(self.stop_unsupported(format!("{what} in one version alone"))),
            false => Ok(()),
        }
    }
}
