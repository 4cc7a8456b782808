//! What the tests share: programs compiled once, sandboxes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use umbra_replay::{Launcher, Program};

/// A folder for everything that the tests make, readable for every user.
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    FOLDER.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("replay");
        std::fs::create_dir_all(&folder).expect("a folder for compiled programs");
        folder
    })
}

/// How the sandbox's process is started in tests.
pub fn launcher() -> Launcher {
    Launcher {
        program: locations::copies()
            .map_or(env!("CARGO_BIN_EXE_umbra-sandbox").into(), |folder| folder.join("sandbox")),
        arguments: Vec::new(),
        // On a machine of its own a test must not clear away after those of the host, whose folders it
        // sees and whose processes it does not.
        scratch: if locations::copies().is_some() { "/tmp" } else { "/var/tmp" }.into(),
        landlock_at_most: None,
        without_group: false,
    }
}

/// Compiles a C program of the tests statically.
pub fn compile(source: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(source);
    let name = source.file_stem().expect("a file name").to_string_lossy().into_owned();
    let output = folder().join(name + &flags.concat().replace(['/', '='], "_"));
    // Compiled under another name first, since tests run side by side.
    let unfinished = output.with_extension(format!("{:?}", std::thread::current().id()));
    let mut command = Command::new("clang-19");
    command.arg("-O1").arg("-g").args(flags).arg(&source).arg("-o").arg(&unfinished);
    let compiled = command.output().expect("clang-19 is installed");
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    std::fs::rename(&unfinished, &output).expect("the program can be renamed");
    output
}

/// The program that shows what it sees.
pub fn probe() -> Program {
    static PROBE: OnceLock<Program> = OnceLock::new();
    let open = || Program::open(compile("programs/probe.c", &["-static"])).expect("probe.c");
    PROBE.get_or_init(open).clone()
}

/// Where programs are when the tests run again as another user.
pub mod locations {
    use std::path::PathBuf;

    /// The variable that names a folder with copies.
    pub const COPIES: &str = "UMBRA_REPLAY_COPIES";

    /// That folder, if there is one.
    pub fn copies() -> Option<PathBuf> {
        std::env::var_os(COPIES).map(PathBuf::from)
    }
}
