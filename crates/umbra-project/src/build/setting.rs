//! What the commands of a build find in their environment.
//!
//! The compiler is a small script in the work folder, at a path that never changes, which calls
//! the real one with the flags of the flavour: this works with every build system,
//! whatever it does with `CFLAGS`. The variables are all that is set; nothing else of
//! the user's environment is passed on but what the [`super::Builder`] was given.
//!
//! Rules that call `gcc` or `ar` by name get ours too: the folder of the scripts comes first in
//! `PATH`, and has them under these names. Tests also get a `valgrind` that only runs the program:
//! what runs in a simulator can be neither traced nor counted.

use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::Flavour;
use crate::deps::Installed;
use crate::files::write_script;
use crate::{Error, Libc, Toolchain, files};

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
    // Nobody reads these warnings, and a project's -Werror is about its own compiler's.
    "-w",
    // Old C that clang would refuse since version 16.
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
];

/// The file in the work folder that says, while tests are recorded, what is done with programs that
/// they link.
pub const RECORDING: &str = "recording";

/// The folder of what only tests find, in the work folder.
pub const FOR_TESTS: &str = "test-bin";

/// Names by which rules call a compiler without asking `CC`. (Ours calls `clang-19`.)
const COMPILERS: &[&str] = &["gcc", "clang", "c99", "c89"];

/// The same for C++; `CXX` is the first.
const CXX_COMPILERS: &[&str] = &["c++", "g++", "clang++"];

/// What a compiler takes its files for, where their names do not tell.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Cxx,
}

/// Says that it found nothing, to whoever looks, and runs the program.
const VALGRIND: &str = r#"#!/bin/sh
log=
while :; do
    case $1 in
    --version) echo valgrind-3.19.0; exit 0 ;;
    --log-file=*) log=${1#--log-file=}; shift ;;
    --) shift; break ;;
    -*) shift ;;
    *) break ;;
    esac
done
if [ -n "$log" ]; then
    log=$(echo "$log" | sed "s/%p/$$/g")
    printf '==%d== %s\n' $$ 'All heap blocks were freed -- no leaks are possible' \
        $$ 'ERROR SUMMARY: 0 errors from 0 contexts (suppressed: 0 from 0)' >"$log"
fi
exec "$@"
"#;

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
        write_script(&compiler, &self.compiler_script(Language::C)?)?;
        for name in COMPILERS {
            write_script(&bin.join(name), &self.compiler_script(Language::C)?)?;
        }
        for name in CXX_COMPILERS {
            write_script(&bin.join(name), &self.compiler_script(Language::Cxx)?)?;
        }
        let tools = &self.toolchain.tools;
        for (name, tool) in [("ar", &tools.ar), ("ranlib", &tools.ranlib), ("nm", &tools.nm)] {
            let words = [tool.as_os_str().as_bytes()];
            let script = [b"#!/bin/sh\n".to_vec(), exec(words.into_iter())].concat();
            write_script(&bin.join(name), &script)?;
        }
        let pkg_config = bin.join("pkg-config");
        match self.flavour {
            Flavour::Analysis => write_script(&pkg_config, &self.pkg_config())?,
            Flavour::Checking => files::remove_file(&pkg_config)?,
        }
        let for_tests = self.folder.join(FOR_TESTS);
        fs::create_dir_all(&for_tests).map_err(Error::io("create", &for_tests))?;
        write_script(&for_tests.join("valgrind"), VALGRIND.as_bytes())?;
        files::write_whole(&bin.join("config.site"), &self.config_site())?;
        files::write_whole(&bin.join("toolchain.cmake"), &self.cmake_toolchain()?)?;
        files::write_whole(&bin.join("native.ini"), &self.meson_native())
    }

    /// The value of `PATH`: our programs before those of `path`.
    pub fn path(&self, path: Option<&OsString>, more: &[PathBuf]) -> OsString {
        let mut folders = more.to_vec();
        folders.push(self.bin());
        folders.extend(path.into_iter().flat_map(std::env::split_paths));
        // A colon in the name of a folder cannot be said; then the others have to do.
        std::env::join_paths(folders).unwrap_or_else(|_| path.cloned().unwrap_or_default())
    }

    /// The variables, in no particular order.
    pub fn variables(&self) -> Result<Vec<(&'static str, OsString)>, Error> {
        let tools = &self.toolchain.tools;
        let bin = self.bin();
        let jobs = self.jobs.to_string();
        let mut variables: Vec<(&'static str, OsString)> = vec![
            ("CC", self.compiler().into()),
            ("CXX", self.bin().join(CXX_COMPILERS[0]).into()),
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
            Flavour::Analysis => {
                let libraries = Installed::of(&self.toolchain.cache)?;
                let mut folders = vec![bin];
                for library in libraries.folders() {
                    folders.extend(["lib/pkgconfig", "share/pkgconfig"].map(|at| library.join(at)));
                }
                let folders = std::env::join_paths(folders).unwrap_or_default();
                variables.push(("PKG_CONFIG_LIBDIR", folders));
            }
            // Programs that run while building may leak as they like.
            Flavour::Checking => variables.push(("ASAN_OPTIONS", "detect_leaks=0".into())),
        }
        Ok(variables)
    }

    fn compiler_script(&self, language: Language) -> Result<Vec<u8>, Error> {
        let mut script = b"#!/bin/sh\n".to_vec();
        let flags = self.flags.iter().map(String::as_bytes);
        match self.flavour {
            Flavour::Analysis => {
                let umbra = self.toolchain.umbra.as_deref().ok_or(Error::NoWrapper)?;
                let cache = self.toolchain.cache.root().as_os_str().as_bytes();
                script.extend(assignment("UMBRA_CACHE", cache));
                let recording = self.folder.join(RECORDING);
                script.extend(assignment("UMBRA_RECORDING", recording.as_os_str().as_bytes()));
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
                let as_cxx: &[u8] = b"--driver-mode=g++";
                let clang =
                    [clang].into_iter().chain((language == Language::Cxx).then_some(as_cxx));
                // What configure asks about is the system, not the sanitizers.
                script.extend(b"case \" $*\" in *conftest*)\n");
                script.extend(exec(clang.clone().chain(flags.clone())));
                script.extend(b"esac\n");
                let fixed = CHECKING.iter().map(|flag| flag.as_bytes());
                script.extend(exec(clang.chain(fixed).chain(flags)));
            }
        }
        Ok(script)
    }

    /// Read by every configure script. Results are kept where [`super::work`] put them;
    /// libraries are static, as programs with bitcode must be.
    fn config_site(&self) -> Vec<u8> {
        let file = shell_quoted(self.cache_file().as_os_str().as_bytes());
        // A script that another one has called has other variables, for which its answers do not hold.
        let mut text = b"if test \"$cache_file\" = ".to_vec();
        text.extend(&file);
        text.extend(b"; then cache_file=/dev/null; else cache_file=");
        text.extend(&file);
        text.extend(b"; fi\ntest -n \"$enable_shared\" || enable_shared=no\n");
        text
    }

    /// Where configure keeps its results during a build.
    pub fn cache_file(&self) -> PathBuf {
        self.folder.join("config.cache.now")
    }

    /// The real pkg-config, asked for what static programs need.
    fn pkg_config(&self) -> Vec<u8> {
        let mut script = b"#!/bin/sh\nown=".to_vec();
        script.extend(shell_quoted(self.bin().as_os_str().as_bytes()));
        script.extend(
            b"\nIFS=:\nfor folder in $PATH; do\n\
              \x20   [ \"$folder\" = \"$own\" ] || [ ! -x \"$folder/pkg-config\" ] ||\n\
              \x20       exec \"$folder/pkg-config\" --static \"$@\"\n\
              done\necho 'pkg-config: not found' >&2\nexit 127\n",
        );
        script
    }

    fn cmake_toolchain(&self) -> Result<Vec<u8>, Error> {
        let tools = &self.toolchain.tools;
        let mut text = Vec::new();
        for (name, path) in [
            ("CMAKE_C_COMPILER", self.compiler()),
            ("CMAKE_CXX_COMPILER", self.bin().join(CXX_COMPILERS[0])),
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
        if self.flavour == Flavour::Analysis {
            // The system's libraries and headers are of no use to programs linked with our libc.
            let libraries = Installed::of(&self.toolchain.cache)?;
            let libc = Libc::find(&self.toolchain.cache)?;
            text.extend(b"set(CMAKE_FIND_ROOT_PATH");
            for root in libraries.folders().chain([libc.sysroot(), self.folder]) {
                text.extend(b" \"");
                text.extend(root.as_os_str().as_bytes());
                text.extend(b"\"");
            }
            text.extend(b")\nset(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)\n");
            for kind in ["LIBRARY", "INCLUDE", "PACKAGE"] {
                let line = format!("set(CMAKE_FIND_ROOT_PATH_MODE_{kind} ONLY)\n");
                text.extend(line.as_bytes());
            }
        }
        Ok(text)
    }

    fn meson_native(&self) -> Vec<u8> {
        let tools = &self.toolchain.tools;
        let mut text = b"[binaries]\n".to_vec();
        for (name, path) in [
            ("c", self.compiler().as_path()),
            ("cpp", &self.bin().join(CXX_COMPILERS[0])),
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
