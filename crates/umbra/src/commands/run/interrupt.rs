//! Ctrl-C: the first ends the run as a limit would, the second ends at once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// From now on a signal to end sets `stop`, and one that comes when it is set ends the process.
pub fn catch(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        // In this order: the second action is for the next signal, not for this one.
        flag::register_conditional_shutdown(signal, 128 + signal, Arc::clone(stop))
            .and_then(|_| flag::register(signal, Arc::clone(stop)))
            .context("waiting for signals")?;
    }
    Ok(())
}
