//! Linking a program, and the bitcode beside it.

use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::prepare::{beside, first_line, prepare_whole};
use crate::{Error, Missing, Toolchain};

/// A link to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProgramLink {
    /// Clang's arguments for the link as it was asked for.
    pub args: Vec<OsString>,
    /// Clang's arguments for a link in which one object takes the place of all that is bitcode, if
    /// there can be one.
    pub rest: Option<Vec<OsString>>,
    /// The executable that will be written.
    pub exe: PathBuf,
    /// Libraries that the link asks for and that are nowhere.
    pub missing: Vec<Missing>,
}

impl ProgramLink {
    /// The prepared bitcode that will be written.
    pub fn bitcode(&self) -> PathBuf {
        beside(&self.exe, ".bc")
    }

    /// lld's name for the merged module as it was before any optimisation.
    fn merged(&self) -> PathBuf {
        beside(&self.exe, ".0.0.preopt.bc")
    }
}

/// What [`link_program`] did.
#[derive(Debug)]
pub struct Linked {
    /// Clang's exit status.
    pub status: ExitStatus,
    /// Why the executable counts nothing, if it does not.
    pub uncounted: Option<String>,
}

/// Links the program and prepares its bitcode. Without success there is no bitcode, not even an
/// older one.
///
/// The executable is made from the prepared module. Where that cannot be linked (machine code that
/// refers to what the module keeps to itself, say) it comes from a plain link, without counters.
pub fn link_program(toolchain: &Toolchain, link: &ProgramLink) -> Result<Linked, Error> {
    let (bitcode, merged) = (link.bitcode(), link.merged());
    remove_if_there(&bitcode)?;
    remove_if_there(&merged)?;
    let result = link_counted(toolchain, link).or_else(|why| link_plain(toolchain, link, &why));
    remove_if_there(&merged)?;
    result
}

/// Merges, prepares, counts, links. The error is the reason why there are no counters.
fn link_counted(toolchain: &Toolchain, link: &ProgramLink) -> Result<Linked, Error> {
    let (Some(rest), Some(umbra)) = (&link.rest, &toolchain.umbra) else {
        return Err(Error::Uncounted);
    };
    let clang = &toolchain.tools.clang;
    // The module alone: no code is generated.
    let only_merge = ["-Wl,--lto-emit-llvm", "-Wl,--lto-O0"].map(OsString::from);
    let mut merge = Command::new(clang);
    let status = merge.args(&link.args).args(only_merge).status().map_err(Error::start(clang))?;
    if !status.success() {
        remove_if_there(&link.exe)?;
        return Ok(Linked { status, uncounted: None });
    }
    let bitcode = link.bitcode();
    let merged = link.merged();
    if !merged.exists() {
        return Err(Error::NoBitcode { exe: link.exe.clone() });
    }
    prepare_whole(toolchain, &merged, &bitcode)?;
    link_module(toolchain, umbra, &bitcode, &link.exe, rest)?;
    Ok(Linked { status: ExitStatus::default(), uncounted: None })
}

/// Makes the executable of a prepared module: counters, machine code, and `rest`, all that is no
/// bitcode.
pub(crate) fn relink(
    toolchain: &Toolchain,
    bitcode: &Path,
    exe: &Path,
    rest: Vec<OsString>,
) -> Result<(), Error> {
    let umbra = toolchain.umbra.as_ref().ok_or(Error::Uncounted)?;
    link_module(toolchain, umbra, bitcode, exe, &rest)
}

fn link_module(
    toolchain: &Toolchain,
    umbra: &Path,
    bitcode: &Path,
    exe: &Path,
    rest: &[OsString],
) -> Result<(), Error> {
    let counted = beside(exe, ".counted.bc");
    let result =
        quietly(Command::new(umbra).arg("__count").arg(bitcode).arg(&counted)).and_then(|()| {
            let mut command = Command::new(&toolchain.tools.clang);
            quietly(command.arg(&counted).args(rest).arg("-o").arg(exe))
        });
    remove_if_there(&counted)?;
    result
}

/// The link as it was asked for.
fn link_plain(toolchain: &Toolchain, link: &ProgramLink, why: &Error) -> Result<Linked, Error> {
    let clang = &toolchain.tools.clang;
    let (bitcode, merged) = (link.bitcode(), link.merged());
    // It may hold bitcode now, which nobody must take for a program.
    remove_if_there(&link.exe)?;
    remove_if_there(&bitcode)?;
    let status = Command::new(clang).args(&link.args).status().map_err(Error::start(clang))?;
    if !status.success() {
        return Ok(Linked { status, uncounted: None });
    }
    // A link without any bitcode (objects in assembly, no libc) has no module.
    let has_module = merged.exists();
    if has_module {
        prepare_whole(toolchain, &merged, &bitcode)?;
    }
    Ok(Linked { status, uncounted: has_module.then(|| why.to_string()) })
}

/// Runs a command and keeps what it says for the error.
fn quietly(command: &mut Command) -> Result<(), Error> {
    let program = PathBuf::from(command.get_program());
    let output = command.output().map_err(Error::start(&program))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(Error::Failed {
            program,
            status: output.status,
            output: first_line(&output.stderr),
        }),
    }
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
