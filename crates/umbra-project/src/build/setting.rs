//! What the commands of a build find in their environment.
//!
//! The compiler is a small script in the work folder, at a path that never changes, which calls
//! the real one with the flags of the flavour: this works with every build system,
//! whatever it does with `CFLAGS`. The variables are all that is set; nothing else of
//! the user's environment is passed on but what the [`super::Builder`] was given.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::Flavour;
use crate::{Error, Toolchain, files};

/// The time that every source file has after a check-out, and `__DATE__` too: equal times
/// keep make from regenerating what is under version control. (2020-01-01)
pub const SOURCE_TIME: i64 = 1_577_836_800;

/// Flags of clang for checking, before those of the project.
pub const CHECKING: &[&str] = &[
    "-g",
    "-O1",
    "-fno-omit-frame-pointer",
    "-fsanitize=address,undefined",
    "-Qunused-arguments",
    // Old C that clang would refuse since version 16.
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
];

/// Everything that the files below are made from.
pub struct Setting<'a> {
    pub toolchain: &'a Toolchain,
    pub flavour: Flavour,
    /// More flags of the compiler.
    pub flags: &'a [String],
    /// The work folder; the files go to `bin/` in it.
    pub folder: &'a Path,
    pub jobs: usize,
}

impl Setting<'_> {
    fn bin(&self) -> PathBuf {
        self.folder.join("bin")
    }

    fn compiler(&self) -> PathBuf {
        self.bin().join("cc")
    }

    /// Writes the files that the variables name.
    pub fn write(&self) -> Result<(), Error> {
        let bin = self.bin();
        fs::create_dir_all(&bin).map_err(Error::io("create", &bin))?;
        let compiler = self.compiler();
        files::write_whole(&compiler, &self.compiler_script()?)?;
        fs::set_permissions(&compiler, fs::Permissions::from_mode(0o755))
            .map_err(Error::io("make executable", &compiler))?;
        files::write_whole(&bin.join("config.site"), &self.config_site())?;
        files::write_whole(&bin.join("toolchain.cmake"), &self.cmake_toolchain())?;
        files::write_whole(&bin.join("native.ini"), &self.meson_native())
    }

    /// The variables, in no particular order.
    pub fn variables(&self) -> Vec<(&'static str, OsString)> {
        let tools = &self.toolchain.tools;
        let bin = self.bin();
        let jobs = self.jobs.to_string();
        let mut variables: Vec<(&'static str, OsString)> = vec![
            ("CC", self.compiler().into()),
            ("AR", tools.ar.clone().into()),
            ("RANLIB", tools.ranlib.clone().into()),
            ("NM", tools.nm.clone().into()),
            ("CONFIG_SITE", bin.join("config.site").into()),
            ("CMAKE_TOOLCHAIN_FILE", bin.join("toolchain.cmake").into()),
            ("UMBRA_MESON_NATIVE_FILE", bin.join("native.ini").into()),
            ("MAKEFLAGS", format!("-j{jobs}").into()),
            ("CMAKE_BUILD_PARALLEL_LEVEL", jobs.into()),
            // Manuals are not needed, and their tools often not there.
            ("MAKEINFO", "true".into()),
            // As root, configure scripts of GNU packages refuse to run without this.
            ("FORCE_UNSAFE_CONFIGURE", "1".into()),
            ("SOURCE_DATE_EPOCH", SOURCE_TIME.to_string().into()),
            ("LC_ALL", "C".into()),
            ("TZ", "UTC0".into()),
            // Version scripts that ask git must not find a repository around the cache.
            ("GIT_CEILING_DIRECTORIES", self.folder.into()),
        ];
        match self.flavour {
            // The system's libraries are of no use to programs linked with our libc.
            Flavour::Analysis => variables.push(("PKG_CONFIG_LIBDIR", bin.into())),
            // Programs that run while building may leak as they like.
            Flavour::Checking => variables.push(("ASAN_OPTIONS", "detect_leaks=0".into())),
        }
        variables
    }

    fn compiler_script(&self) -> Result<Vec<u8>, Error> {
        let mut script = b"#!/bin/sh\n".to_vec();
        let flags = self.flags.iter().map(String::as_bytes);
        match self.flavour {
            Flavour::Analysis => {
                let umbra = self.toolchain.umbra.as_deref().ok_or(Error::NoWrapper)?;
                let cache = self.toolchain.cache.root().as_os_str().as_bytes();
                script.extend(assignment("UMBRA_CACHE", cache));
                let clang = &self.toolchain.tools.clang;
                if let Some(folder) = clang.parent().filter(|folder| !folder.as_os_str().is_empty())
                {
                    let folder = folder.as_os_str().as_bytes();
                    script.extend(assignment("UMBRA_LLVM_BIN", folder));
                }
                let command = [umbra.as_os_str().as_bytes(), b"cc"].into_iter().chain(flags);
                script.extend(exec(command));
            }
            Flavour::Checking => {
                let clang = self.toolchain.tools.clang.as_os_str().as_bytes();
                // What configure asks about is the system, not the sanitizers.
                script.extend(b"case \" $*\" in *conftest*)\n");
                script.extend(exec([clang].into_iter().chain(flags.clone())));
                script.extend(b"esac\n");
                let fixed = CHECKING.iter().map(|flag| flag.as_bytes());
                script.extend(exec([clang].into_iter().chain(fixed).chain(flags)));
            }
        }
        Ok(script)
    }

    /// Read by every configure script. Results are kept where [`super::work`] put them;
    /// libraries are static, as programs with bitcode must be.
    fn config_site(&self) -> Vec<u8> {
        let mut text = b"cache_file=".to_vec();
        text.extend(shell_quoted(self.cache_file().as_os_str().as_bytes()));
        text.extend(b"\ntest -n \"$enable_shared\" || enable_shared=no\n");
        text
    }

    /// Where configure keeps its results during a build.
    pub fn cache_file(&self) -> PathBuf {
        self.folder.join("config.cache.now")
    }

    fn cmake_toolchain(&self) -> Vec<u8> {
        let tools = &self.toolchain.tools;
        let mut text = Vec::new();
        for (name, path) in [
            ("CMAKE_C_COMPILER", self.compiler()),
            // Plain names are searched by CMake itself.
            ("CMAKE_AR", tools.ar.clone()),
            ("CMAKE_RANLIB", tools.ranlib.clone()),
            ("CMAKE_NM", tools.nm.clone()),
        ] {
            text.extend(format!("set({name} \"").as_bytes());
            text.extend(path.as_os_str().as_bytes());
            text.extend(b"\")\n");
        }
        text.extend(b"set(BUILD_SHARED_LIBS OFF CACHE BOOL \"\")\n");
        text
    }

    fn meson_native(&self) -> Vec<u8> {
        let tools = &self.toolchain.tools;
        let mut text = b"[binaries]\n".to_vec();
        for (name, path) in [
            ("c", self.compiler().as_path()),
            ("ar", &tools.ar),
            ("ranlib", &tools.ranlib),
            ("nm", &tools.nm),
        ] {
            text.extend(format!("{name} = '").as_bytes());
            text.extend(path.as_os_str().as_bytes());
            text.extend(b"'\n");
        }
        text.extend(b"[built-in options]\ndefault_library = 'static'\n");
        text
    }
}

fn assignment(name: &str, value: &[u8]) -> Vec<u8> {
    let mut line = format!("{name}=").into_bytes();
    line.extend(shell_quoted(value));
    line.extend(format!("; export {name}\n").as_bytes());
    line
}

fn exec<'a>(words: impl Iterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut line = b"exec".to_vec();
    for word in words {
        line.push(b' ');
        line.extend(shell_quoted(word));
    }
    line.extend(b" \"$@\"\n");
    line
}

/// A word as the shell takes it literally.
fn shell_quoted(word: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'\''];
    for &byte in word {
        match byte {
            b'\'' => quoted.extend(b"'\\''"),
            byte => quoted.push(byte),
        }
    }
    quoted.push(b'\'');
    quoted
}
