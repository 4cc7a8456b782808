//! What a build depends on, as hashes.

use std::path::Path;
use std::process::Command;

use super::Flavour;
use super::setting::CHECKING;
use crate::deps::Installed;
use crate::git::TreeId;
use crate::hash::Hash;
use crate::{Error, Libc, Manifest, Toolchain, wrapper};

/// The hash of everything but the source: compiler, libc, commands, place. A tree that
/// was built under another one is of no use.
pub fn configuration(
    toolchain: &Toolchain,
    manifest: &Manifest,
    flavour: Flavour,
    folder: &Path,
    prefix: &Path,
) -> Result<String, Error> {
    let steps = &manifest.build;
    let hash = Hash::new("configuration 1")
        .text(flavour.name())
        .text(&compiler_version(toolchain)?)
        // Build paths are in the programs.
        .path(folder)
        .path(prefix)
        .text(&steps.prepare)
        .text(steps.configure_for(flavour))
        .text(steps.build_for(flavour))
        .texts(steps.of(flavour).flags.iter().map(String::as_str));
    Ok(match flavour {
        Flavour::Analysis => {
            let libc = Libc::find(&toolchain.cache)?;
            let sysroot = libc.sysroot();
            let sysroot = sysroot.canonicalize().map_err(Error::io("find", sysroot))?;
            let libraries = Installed::of(&toolchain.cache)?;
            hash.path(&sysroot).text(&wrapper::fingerprint()).text(&libraries.fingerprint())
        }
        Flavour::Checking => hash.texts(CHECKING.iter().copied()),
    }
    .long())
}

/// The name of a build in the cache.
pub fn build(configuration: &str, tree: &TreeId, manifest: &Manifest) -> String {
    let mut hash = Hash::new("build 1").text(configuration).text(tree.as_str());
    for program in &manifest.programs {
        hash = hash.path(program);
    }
    match manifest.tests {
        Some(tests) => hash.text(if tests { "with tests" } else { "without tests" }),
        None => hash,
    }
    .short()
}

/// What identifies the configure script's results.
pub fn configure_results(configuration: &str, script: &[u8]) -> String {
    Hash::new("configure 1").text(configuration).bytes(script).long()
}

fn compiler_version(toolchain: &Toolchain) -> Result<String, Error> {
    let clang = &toolchain.tools.clang;
    let output = Command::new(clang).arg("--version").output().map_err(Error::start(clang))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(Error::Failed { program: clang.into(), status: output.status, output: text });
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}
