//! Ctrl-C: the first ends the run as a limit would, the second ends at once.
//!
//! SIGTERM does what the first Ctrl-C does, however often it comes: timeout(1) sends it twice, to the
//! process and to its group.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

/// From now on a signal to end sets `stop`, and Ctrl-C ends the process if it is set.
pub fn catch(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    // In this order: what ends the process is for the next Ctrl-C, not for this one.
    flag::register_conditional_shutdown(SIGINT, 128 + SIGINT, Arc::clone(stop))
        .and_then(|_| flag::register(SIGINT, Arc::clone(stop)))
        .and_then(|_| flag::register(SIGTERM, Arc::clone(stop)))
        .context("waiting for signals")?;
    Ok(())
}

/// From now on a signal to end sets this too.
pub fn also(stop: &Arc<AtomicBool>) -> anyhow::Result<()> {
    for signal in [SIGINT, SIGTERM] {
        flag::register(signal, Arc::clone(stop)).context("waiting for signals")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::process::Command;
    use std::sync::atomic::Ordering;

    use signal_hook::low_level::raise;

    use super::*;

    /// Set in the process that gets the signals.
    const SIGNALS: &str = "UMBRA_TEST_SIGNALS";

    fn get(signals: &str) -> ! {
        let stop = Arc::default();
        catch(&stop).expect("signals can be caught");
        for signal in signals.split(' ') {
            raise(signal.parse().expect("a number")).expect("it can be sent");
            assert!(stop.load(Ordering::Relaxed));
        }
        std::process::exit(0)
    }

    #[test]
    fn the_second_ctrl_c_ends_the_process() {
        if let Ok(signals) = std::env::var(SIGNALS) {
            get(&signals);
        }
        let (name, _) = std::any::type_name_of_val(&get).rsplit_once("::").expect("a path");
        let (_, name) = name.split_once("::").expect("a crate");
        for (signals, code) in
            [("2", 0), ("15", 0), ("15 15", 0), ("2 15", 0), ("2 2", 130), ("15 15 2", 130)]
        {
            let test = format!("{name}::the_second_ctrl_c_ends_the_process");
            let status = Command::new(std::env::current_exe().expect("this test"))
                .args(["--exact", &test])
                .env(SIGNALS, signals)
                .output()
                .expect("it runs")
                .status;
            assert_eq!(status.code(), Some(code), "{signals}");
        }
    }
}
