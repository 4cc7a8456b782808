//! The programs of `tests/symex/exhaustive`, made into two versions by `tests/shadow/injected.h`.
//!
//! Their branches write no trace, so it is not checked where the versions part; but what each version
//! does on every input is, and that nothing is said of inputs that both versions see alike.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, ensure};

use super::command::compile_with;
use super::directives::Directives;
use super::domain::ensure_small;
use super::enumerate::Enumerator;
use super::explore::{Limited, Versions, explore_limited, world};
use super::input::Input;
use super::predictions::Predictions;
use super::versions::{Native, check_versions};

const TIME: Duration = Duration::from_secs(120);
const ALONE: u64 = 1_000_000;

/// Checks about so many inputs of one program; `None` if it makes no object symbolic.
pub fn check(umbra: &Path, source: &Path, about: u64) -> anyhow::Result<Option<usize>> {
    let text = fs::read_to_string(source)?;
    if !text.contains("umbra_symbolic(") && !text.contains("klee_make_symbolic(") {
        return Ok(None);
    }
    let directives = Directives::parse(&text)?;
    let domain = directives.domain.as_ref().context("there is no domain")?;
    ensure_small(domain)?;
    let name = source.file_stem().context("a source has a name")?.to_string_lossy();
    let header = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/shadow/injected.h");
    let header = header.to_str().context("the path is text")?;
    let folder = tempfile::tempdir()?;
    compile_with(umbra, source, folder.path(), &["-include", header])?;
    let bitcode = folder.path().join(format!("{name}.bc"));
    let limited = Limited { versions: Versions::Both, alone: ALONE, path: None, prune: false };
    let both = explore_limited(umbra, &bitcode, &world(&directives, &name)?, TIME, limited)?;
    ensure!(both.stopped.is_none(), "stopped: {:?}", both.stopped);

    let step = (domain.len() / about.max(1)).max(1) | 1;
    let indices = (0..domain.len()).filter(|index| index.is_multiple_of(step));
    let inputs: Vec<Input> = indices.map(|index| domain.get(index)).collect();
    let build = |version: &str| {
        Enumerator::with_flags(umbra, source, &name, &["-include", header, version])
    };
    let native =
        Native::of(&build("-DUMBRA_OLD")?, &build("-DUMBRA_NEW")?, &directives.args, &inputs)?;
    let first = inputs.first().context("there is an input")?;
    let mut predictions = Predictions::of(&both, first);
    for (at, input) in inputs.iter().enumerate() {
        let predicted = check_versions(&mut predictions, input, (&native, at))?;
        let alike = input.objects.iter().all(|(_, bytes)| bytes.first() != Some(&77));
        ensure!(!alike || predicted == "same", "{predicted} on {input:?}, which is seen alike");
        if predicted == "control" {
            continue;
        }
        let actual = native.verdict(at);
        ensure!(predicted == actual, "{predicted} is predicted on {input:?}, it is {actual}");
    }
    Ok(Some(inputs.len()))
}
