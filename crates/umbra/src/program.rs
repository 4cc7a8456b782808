//! From what the user calls a program to the program in memory.

use std::ffi::OsStr;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use umbra_ir::{Limits, Loader, Program};

use crate::environment;

/// The bitcode that stands for `path`: an executable made by `umbra cc`, a bitcode file, or a C
/// file, which is compiled into `scratch`.
pub fn find_bitcode(path: &Path, scratch: &Path) -> anyhow::Result<PathBuf> {
    let mut magic = [0u8; 4];
    let length = File::open(path)
        .and_then(|mut file| file.read(&mut magic))
        .with_context(|| format!("opening {}", path.display()))?;
    match &magic[..length] {
        b"\x7fELF" => {
            let bitcode = beside(path);
            if !bitcode.exists() {
                bail!(
                    "{} has no bitcode beside it ({}): build it with `umbra cc`",
                    path.display(),
                    bitcode.display()
                );
            }
            Ok(bitcode)
        }
        b"BC\xc0\xde" | b"\xde\xc0\x17\x0b" => {
            let out = scratch.join("program.bc");
            let toolchain = environment::toolchain()?;
            umbra_project::prepare(&toolchain, path, &out)
                .with_context(|| format!("preparing {}", path.display()))?;
            Ok(out)
        }
        _ if path.extension() == Some(OsStr::new("c")) => {
            let toolchain = environment::toolchain()?;
            let files = [path.to_owned()];
            let program = umbra_project::compile(&toolchain, &files, &[], scratch)
                .with_context(|| format!("compiling {}", path.display()))?;
            Ok(program.bitcode)
        }
        _ => bail!("{} is neither an executable, nor bitcode, nor a C file", path.display()),
    }
}

/// Where `umbra cc` puts the bitcode of an executable.
fn beside(executable: &Path) -> PathBuf {
    let mut name = executable.as_os_str().to_owned();
    name.push(".bc");
    PathBuf::from(name)
}

/// Loads prepared bitcode, in a child process.
pub fn load(bitcode: &Path) -> anyhow::Result<Program> {
    let loader = Loader {
        program: std::env::current_exe().context("finding our own program")?,
        arguments: vec!["__load".into()],
        limits: Limits::default(),
    };
    Ok(loader.load(bitcode)?)
}
