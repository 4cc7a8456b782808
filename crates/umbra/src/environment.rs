//! What the environment says: the only place where variables are read.
//!
//! `UMBRA_CACHE` names the cache folder (default: `umbra` in `XDG_CACHE_HOME`, or in
//! `~/.cache`), `UMBRA_LLVM_BIN` the folder of LLVM 19's programs (default: their
//! versioned names are searched in `PATH`), `UMBRA_CACHE_LIMIT` how large the cache may
//! grow (`20GiB`). `UMBRA_RECORDING` is set by the compilers of builds (see `recording.rs`). `NO_COLOR` and `TERM=dumb` turn colours off.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::Context;
use umbra_jobs::Boxed;
use umbra_project::{Cache, Toolchain, Tools, parse_size};
use umbra_replay::Launcher;
use umbra_text::Show;

/// The argument with which the command is the process of a sandbox.
pub const SANDBOX: &str = "__sandbox";

/// How sandboxes for native runs are started: by this command itself.
pub fn launcher() -> Launcher {
    Launcher {
        program: "/proc/self/exe".into(),
        arguments: vec![SANDBOX.into()],
        scratch: env::temp_dir(),
        landlock_at_most: None,
        without_group: false,
    }
}

/// The toolchain as the environment describes it.
pub fn toolchain() -> anyhow::Result<Toolchain> {
    Ok(Toolchain {
        tools: variable("UMBRA_LLVM_BIN").map_or_else(Tools::by_name, |dir| Tools::in_dir(&dir)),
        cache: Cache::new(cache_dir()?),
        umbra: env::current_exe().ok(),
    })
}

/// The same, for jobs.
pub fn tools() -> Result<Toolchain, Boxed> {
    Ok(toolchain()?)
}

fn cache_dir() -> anyhow::Result<PathBuf> {
    if let Some(dir) = variable("UMBRA_CACHE") {
        // Builds change directory between calls, so a relative folder would wander.
        return std::path::absolute(&dir).with_context(|| format!("no folder {}", dir.shown()));
    }
    variable("XDG_CACHE_HOME")
        .filter(|dir| dir.is_absolute())
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .map(|dir| dir.join(Path::new("umbra")))
        .context("no cache folder: set UMBRA_CACHE, XDG_CACHE_HOME or HOME")
}

/// How large the cache may grow, if that is said.
pub fn cache_limit() -> anyhow::Result<Option<u64>> {
    let Some(value) = variable("UMBRA_CACHE_LIMIT") else { return Ok(None) };
    let size = value.to_str().and_then(parse_size);
    let size = size.with_context(|| {
        format!("UMBRA_CACHE_LIMIT must be a size such as `20GiB`, found `{}`", value.shown())
    })?;
    Ok(Some(size))
}

/// What builds see of the environment. Nothing else: the same source is to give the
/// same programs, whoever builds it. (The proxies are for steps that fetch.)
pub fn for_builds() -> Vec<(OsString, OsString)> {
    const KEPT: &[&str] = &[
        "PATH",
        "HOME",
        "USER",
        "LOGNAME",
        "TMPDIR",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
    ];
    KEPT.iter().filter_map(|name| Some(((*name).into(), env::var_os(name)?))).collect()
}

/// The file that says what is done with programs that are linked, while tests are recorded.
pub fn recording() -> Option<PathBuf> {
    variable("UMBRA_RECORDING")
}

/// Whether nothing speaks against colours on a terminal; see <https://no-color.org>.
pub fn wants_colours() -> bool {
    variable("NO_COLOR").is_none() && variable("TERM").is_none_or(|term| term != Path::new("dumb"))
}

/// A variable that is set to something.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
