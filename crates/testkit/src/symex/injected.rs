//! The programs of `tests/symex/exhaustive`, made into two versions by `tests/shadow/injected.h`.
//!
//! Their branches write no trace, so it is not checked where the versions part; but what each version
//! does on every input is, and that nothing is said of inputs that both versions see alike.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, ensure};

use super::enumerate::Enumerator;
use super::enumerated::{Enumerated, Share};
use super::explore::{Limited, Manner, Versions, explore, load};
use super::versions::{Native, check_inputs};

const TIME: Duration = Duration::from_secs(120);
const ALONE: u64 = 1_000_000;

/// The header that makes a program one with two versions.
pub fn header() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shadow/injected.h")
}

/// Whether a program makes an object symbolic, which then has two versions.
pub fn is_suitable(source: &Path) -> anyhow::Result<bool> {
    let text = fs::read_to_string(source)?;
    Ok(text.contains("umbra_symbolic(") || text.contains("klee_make_symbolic("))
}

/// Checks about so many inputs of one program; `None` if it makes no object symbolic, has errors, or
/// says that it cannot have two versions.
pub fn check(umbra: &Path, source: &Path, about: u64) -> anyhow::Result<Option<usize>> {
    if !is_suitable(source)? {
        return Ok(None);
    }
    let header = header();
    let header = header.to_str().context("the path is text")?;
    let program = Enumerated::compile(umbra, source, &["-include", header])?;
    let Enumerated { directives, domain, name, bitcode, .. } = &program;
    // What an error comes to without a sanitizer is not known.
    if directives.one_version || !directives.marks.is_empty() {
        return Ok(None);
    }
    let limited = Limited { versions: Versions::Both, alone: ALONE, path: None, prune: false };
    let both =
        explore(load(umbra, bitcode)?, &program.world()?, TIME, &Manner::default(), limited)?;
    ensure!(both.stopped.is_none(), "stopped: {:?}", both.stopped);

    let inputs = Share::About(about).inputs(domain);
    let build =
        |version: &str| Enumerator::with_flags(umbra, source, name, &["-include", header, version]);
    let native =
        Native::of(&build("-DUMBRA_OLD")?, &build("-DUMBRA_NEW")?, &directives.args, &inputs)?;
    check_inputs(&both, &inputs, &native, |input, said| {
        let alike = input.objects.iter().all(|(_, bytes)| bytes.first() != Some(&77));
        let predicted = said.predicted;
        ensure!(!alike || predicted == "same", "{predicted} on {input:?}, which is seen alike");
        if predicted == "control" { Ok(()) } else { said.ensure_true(input) }
    })?;
    Ok(Some(inputs.len()))
}
