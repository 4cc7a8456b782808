//! The compiler wrapper: clang, the bitcode libc and whole-program links behind the
//! command line of an ordinary C compiler.
//!
//! Objects are bitcode, so every link is one of whole programs (full LTO), and
//! lld writes down the merged module before it optimises it. That module follows the linker's own
//! choices (archives, weak symbols, commons), which no later merge of separate
//! bitcode files could repeat. From it `<exe>.bc` is prepared, and from that the native executable
//! is made: the very module that is analysed, with a counter in every block.

mod args;
mod cxx;
mod libraries;
mod link;
mod sanitize;
mod shared;

use std::ffi::OsString;
use std::path::PathBuf;

pub use cxx::{CxxJob, compile_cxx, leave_out};
pub use link::{Linked, ProgramLink, link_program};
pub(crate) use link::{is_bitcode, relink};
pub use shared::{SharedLink, link_shared};

use crate::deps::Installed;
use crate::hash::Hash;
use crate::{Error, Libc, Toolchain};
use args::{Invocation, Work};

/// Before the user's flags: those that the user may override.
const FIRST: &[&str] = &[
    "--target=x86_64-linux-musl",
    "-static",
    "-no-pie",
    "-fno-pie",
    "--rtlib=compiler-rt",
    "--unwindlib=none",
    "-fuse-ld=lld",
    "-Qunused-arguments",
    // Bitcode given as input may come from a compiler for another libc.
    "-Wno-override-module",
    // Old C that clang would refuse since version 16.
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
];

/// After the user's flags, so that the user's optimisation level does not count: no
/// pass may run that exploits undefined behaviour or loses lines. (-O1 with all
/// passes off, not -O0, for the lifetime markers of variables.)
const ANALYSED: &[&str] = &[
    "-gdwarf-4",
    // Reports name local variables.
    "-fno-discard-value-names",
    "-O1",
    "-Xclang",
    "-disable-llvm-passes",
    "-fno-vectorize",
    "-fno-slp-vectorize",
    "-ffp-contract=off",
    // Calls of sin and its kind stay calls; as intrinsics nothing would keep the functions.
    "-fmath-errno",
    "-fno-strict-aliasing",
    "-fno-stack-protector",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
];

/// For code from the prepared module: machine code of a sensible kind, but no pass that changes
/// what the module says.
const GENERATED: &[&str] = &["-O1", "-Xclang", "-disable-llvm-passes"];

/// What to do for a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Become clang with these arguments.
    Exec(Vec<OsString>),
    /// Link a program with [`link_program`].
    Link(ProgramLink),
    /// Make a shared library with [`link_shared`].
    Shared(SharedLink),
    /// Become llvm-link with these arguments: several bitcode objects to one.
    Merge(Vec<OsString>),
    /// Make machine code of C++ with [`compile_cxx`].
    Cxx(CxxJob),
    /// Leave a program out with [`leave_out`]: a part of it was.
    LeaveOut(PathBuf),
    /// Print the name of a tool.
    Print(Tool),
}

/// Tools that build systems need besides the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tool {
    /// For `AR`.
    Ar,
    /// For `RANLIB`.
    Ranlib,
    /// For `NM`.
    Nm,
}

/// The compiler wrapper.
#[derive(Clone, Debug)]
pub struct Wrapper {
    libc: Libc,
    libraries: Installed,
}

impl Wrapper {
    /// A wrapper around the toolchain's compiler and libc.
    pub fn new(toolchain: &Toolchain) -> Result<Wrapper, Error> {
        let libc = Libc::find(&toolchain.cache)?;
        Ok(Wrapper { libc, libraries: Installed::of(&toolchain.cache)? })
    }

    /// Decides what to do for a compiler command line (without the compiler's name).
    pub fn plan(&self, args: &[OsString]) -> Result<Plan, Error> {
        if let [only] = args {
            match only.to_str() {
                Some("--print-ar") => return Ok(Plan::Print(Tool::Ar)),
                Some("--print-ranlib") => return Ok(Plan::Print(Tool::Ranlib)),
                Some("--print-nm") => return Ok(Plan::Print(Tool::Nm)),
                _ => {}
            }
        }
        let invocation = args::parse(args);
        if invocation.incomplete {
            // Clang says what is missing, unless a flag of ours stood there.
            return Ok(Plan::Exec(args.to_vec()));
        }
        let is_made = matches!(invocation.work, Work::Compile | Work::Program);
        if let Some(source) = invocation.cxx.clone().filter(|_| !invocation.is_probe() && is_made) {
            let mut args = self.native(&invocation);
            args.extend(cxx::FLAGS.iter().map(OsString::from));
            let is_program = invocation.work == Work::Program;
            let output = match is_program {
                true => invocation.executable(),
                false => invocation.object(),
            };
            return Ok(Plan::Cxx(CxxJob { args, source, output, is_program }));
        }
        let left_out = |path: &PathBuf| cxx::is_left_out(path);
        if invocation.work == Work::Program && invocation.inputs.iter().any(left_out) {
            return Ok(Plan::LeaveOut(invocation.executable()));
        }
        Ok(match invocation.work {
            Work::Program if invocation.is_probe() => Plan::Exec(self.native(&invocation)),
            Work::Program => Plan::Link(self.program(invocation)),
            Work::Partial => self.partial(&invocation),
            Work::Query | Work::Assembly => Plan::Exec(self.native(&invocation)),
            _ if invocation.is_probe() => Plan::Exec(self.native(&invocation)),
            Work::Shared => Plan::Shared(self.shared(&invocation)),
            Work::Inspect | Work::Compile => Plan::Exec(self.analysed(&invocation)),
        })
    }

    /// Clang's arguments for code that is analysed.
    fn analysed(&self, invocation: &Invocation) -> Vec<OsString> {
        let mut args = self.first(self.libc.sysroot().into());
        args.push("-flto=full".into());
        // A project asks for errors because it knows the warnings of its own compiler and libc, not
        // those of this one. Probes keep the flag: whether it is an error is what they ask.
        let is_kept = |arg: &&OsString| !arg.as_encoded_bytes().starts_with(b"-Werror");
        args.extend(invocation.args.iter().filter(is_kept).cloned());
        args.extend(ANALYSED.iter().map(OsString::from));
        args.extend(self.libraries());
        args
    }

    /// Where the libraries that were added are: behind the folders that the user names.
    fn libraries(&self) -> Vec<OsString> {
        let mut args = Vec::new();
        for folder in self.libraries.folders() {
            args.extend(["-isystem".into(), folder.join("include").into()]);
            args.extend(["-L".into(), folder.join("lib").into()]);
        }
        args
    }

    /// Clang's arguments for code that only runs.
    fn native(&self, invocation: &Invocation) -> Vec<OsString> {
        let mut args = self.first(self.libc.native_sysroot());
        args.extend_from_slice(&invocation.args);
        args.extend(self.libraries());
        args
    }

    fn first(&self, sysroot: PathBuf) -> Vec<OsString> {
        let mut option = OsString::from("--sysroot=");
        option.push(sysroot);
        let mut args = Vec::with_capacity(64);
        args.push(option);
        args.extend(FIRST.iter().map(OsString::from));
        args
    }

    fn program(&self, mut invocation: Invocation) -> ProgramLink {
        invocation.args = shared::by_path(invocation.args, &self.folders_of_libraries());
        let mut args = self.analysed(&invocation);
        args.push("-Wl,--lto-O1".into());
        args.push("-Wl,--save-temps=preopt".into());
        if !invocation.args.iter().any(|arg| WITHOUT_LIBC.iter().any(|option| arg == option)) {
            // Before the compiler's own library, which has some of its names (processor.c).
            args.push("-lc".into());
        }
        let rest = invocation.without_bitcode().map(|args| self.rest(args));
        let missing = libraries::missing(&invocation.args, self.folders_of_libraries());
        ProgramLink { args, rest, exe: invocation.executable(), missing }
    }

    /// The link of a module with all that is no bitcode, and these arguments.
    fn rest(&self, args: Vec<OsString>) -> Vec<OsString> {
        // The libc of machine code: at the sight of any bitcode, and be it crti.o, lld takes every
        // function out of a libc of bitcode that generated code might call, and compiles them all.
        let mut rest = self.first(self.libc.native_sysroot());
        rest.extend(args);
        rest.extend(GENERATED.iter().map(OsString::from));
        rest.extend(self.libraries());
        rest
    }

    /// The same for a module beside which there is nothing.
    pub(crate) fn rest_of_nothing(&self) -> Vec<OsString> {
        self.rest(Vec::new())
    }

    /// A shared library: sources are compiled one by one, since each becomes an object of an archive.
    fn shared(&self, invocation: &Invocation) -> SharedLink {
        let is_source = |path: &PathBuf| {
            let suffix = path.extension().and_then(|suffix| suffix.to_str());
            matches!(suffix, Some("c" | "i" | "s" | "S"))
        };
        let (sources, rest): (Vec<_>, Vec<_>) =
            invocation.inputs.iter().cloned().partition(is_source);
        let compile = |source: PathBuf| {
            let mut args = self.analysed(&Invocation {
                args: invocation.without_inputs(),
                inputs: Vec::new(),
                output: None,
                incomplete: false,
                cxx: None,
                work: Work::Compile,
            });
            args.extend(["-c".into(), source.into()]);
            args
        };
        let is_linked = |path: &PathBuf| {
            let suffix = path.extension().and_then(|suffix| suffix.to_str());
            // Linker scripts, lists of symbols and real shared libraries hold nothing to link.
            suffix == Some("o") || link::is_bitcode(path) || shared::is_archive(path)
        };
        let mut objects: Vec<PathBuf> = rest.into_iter().filter(is_linked).collect();
        objects.extend(shared::archives(&invocation.args, &self.folders_of_libraries()));
        SharedLink {
            sources: sources.into_iter().map(compile).collect(),
            objects,
            output: invocation.executable(),
        }
    }

    /// Where archives are found that no option of the link names.
    fn folders_of_libraries(&self) -> Vec<PathBuf> {
        let roots = self.libraries.folders().chain([self.libc.sysroot()]);
        roots.map(|root| root.join("lib")).collect()
    }

    /// Objects that are all bitcode are merged as bitcode, otherwise they would be
    /// machine code from here on.
    fn partial(&self, invocation: &Invocation) -> Plan {
        let inputs = &invocation.inputs;
        if !invocation.is_probe() && inputs.iter().all(|path| link::is_bitcode(path)) {
            let mut args = vec!["-o".into(), invocation.executable().into()];
            args.extend(inputs.iter().map(OsString::from));
            return Plan::Merge(args);
        }
        let mut args = self.analysed(invocation);
        args.push("-nostdlib".into());
        Plan::Exec(args)
    }
}

/// Options of links that have no libc.
const WITHOUT_LIBC: [&str; 3] = ["-nostdlib", "-nodefaultlibs", "-nolibc"];

/// The hash of the code that decides what becomes of a program: a build made by another
/// version of it is another build.
pub(crate) fn fingerprint() -> String {
    const SOURCES: &[&str] = &[
        include_str!("mod.rs"),
        include_str!("args.rs"),
        include_str!("cxx.rs"),
        include_str!("libraries.rs"),
        include_str!("link.rs"),
        include_str!("sanitize.rs"),
        include_str!("shared.rs"),
        include_str!("../prepare.rs"),
        // The step of the `umbra` command that adds the counters.
        include_str!("../../../umbra-ir/src/llvm/counters.rs"),
    ];
    Hash::new("wrapper").text(env!("CARGO_PKG_VERSION")).texts(SOURCES.iter().copied()).short()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_fingerprint_knows_every_file() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/wrapper");
        let own = include_str!("mod.rs");
        for entry in std::fs::read_dir(folder).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(own.contains(&format!("include_str!(\"{name}\")")), "{name} is not hashed");
        }
    }
}
