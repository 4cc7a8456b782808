//! Linking a program, and the bitcode beside it.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::prepare::{beside, prepare_whole};
use crate::{Error, Toolchain};

/// A link to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLink {
    /// Clang's arguments.
    pub args: Vec<OsString>,
    /// The executable that will be written.
    pub exe: PathBuf,
}

impl ProgramLink {
    /// The prepared bitcode that will be written.
    pub fn bitcode(&self) -> PathBuf {
        beside(&self.exe, ".bc")
    }
}

/// Links the program and prepares its bitcode. The result is clang's exit status;
/// without success there is no bitcode, not even an older one.
pub fn link_program(toolchain: &Toolchain, link: &ProgramLink) -> Result<ExitStatus, Error> {
    let bitcode = link.bitcode();
    remove_if_there(&bitcode)?;
    // lld's name for the merged module as it was before any optimisation.
    let merged = beside(&link.exe, ".0.0.preopt.bc");
    remove_if_there(&merged)?;
    let clang = &toolchain.tools.clang;
    let status = Command::new(clang).args(&link.args).status().map_err(Error::start(clang))?;
    if !status.success() {
        remove_if_there(&merged)?;
        return Ok(status);
    }
    // A link without any bitcode (objects in assembly, no libc) has no module.
    if merged.exists() {
        let prepared = prepare_whole(toolchain, &merged, &bitcode);
        remove_if_there(&merged)?;
        prepared?;
    }
    Ok(status)
}

fn remove_if_there(path: &Path) -> Result<(), Error> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::io("remove", path)(error))
        }
        _ => Ok(()),
    }
}

/// Whether a file starts as bitcode does.
pub(crate) fn is_bitcode(path: &Path) -> bool {
    let mut magic = [0; 4];
    fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && (magic == *b"BC\xc0\xde" || magic == 0x0b17_c0de_u32.to_le_bytes())
}
