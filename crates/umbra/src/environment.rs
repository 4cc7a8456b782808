//! What the environment says: the only place where variables are read.
//!
//! `UMBRA_CACHE` names the cache folder (default: `umbra` in `XDG_CACHE_HOME`, or in
//! `~/.cache`), `UMBRA_LLVM_BIN` the folder of LLVM 19's programs (default: their
//! versioned names are searched in `PATH`). `NO_COLOR` and `TERM=dumb` turn colours off.

use std::env;
use std::path::{Path, PathBuf};

use anyhow::Context;
use umbra_project::{Cache, Toolchain, Tools};

/// The toolchain as the environment describes it.
pub fn toolchain() -> anyhow::Result<Toolchain> {
    Ok(Toolchain {
        tools: variable("UMBRA_LLVM_BIN").map_or_else(Tools::by_name, |dir| Tools::in_dir(&dir)),
        cache: Cache::new(cache_dir()?),
        umbra: env::current_exe().ok(),
    })
}

fn cache_dir() -> anyhow::Result<PathBuf> {
    if let Some(dir) = variable("UMBRA_CACHE") {
        // Builds change directory between calls, so a relative folder would wander.
        return std::path::absolute(&dir).with_context(|| format!("no folder {}", dir.display()));
    }
    variable("XDG_CACHE_HOME")
        .filter(|dir| dir.is_absolute())
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join(Path::new("umbra")))
        .context("no cache folder: set UMBRA_CACHE, XDG_CACHE_HOME or HOME")
}

/// Whether nothing speaks against colours on a terminal; see <https://no-color.org>.
pub fn wants_colours() -> bool {
    variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != Path::new("dumb"))
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
