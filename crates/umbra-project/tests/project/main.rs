//! What the library makes with the real tools.
//!
//! The tests need the set-up (`make setup`): clang 19 and the built libc.

mod build;
mod detect;
mod inputs;
mod kept;
mod manifest;
mod ranges;

use std::path::PathBuf;

use umbra_project::{Cache, Toolchain, Tools};

fn toolchain() -> Toolchain {
    let variable = |name| std::env::var_os(name).map(PathBuf::from);
    let cache = variable("UMBRA_CACHE").unwrap_or_else(|| {
        variable("XDG_CACHE_HOME")
            .unwrap_or_else(|| variable("HOME").unwrap().join(".cache"))
            .join("umbra")
    });
    Toolchain { tools: Tools::by_name(), cache: Cache::new(cache), umbra: None }
}
