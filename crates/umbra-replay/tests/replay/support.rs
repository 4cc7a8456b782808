//! What the tests share: programs compiled once, sandboxes.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use umbra_replay::{Confinement, Error, Launcher, Program, Sandbox};

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

/// The sandboxes of this machine: namespaces, and Landlock where there is one.
pub fn confinements() -> impl Iterator<Item = Confinement> {
    let landlock = has_landlock().then_some(Confinement::Landlock);
    [Confinement::Namespaces].into_iter().chain(landlock)
}

/// Whether there is a Landlock that will do. There must be one unless the kernel says why not.
pub fn has_landlock() -> bool {
    static LANDLOCK: OnceLock<bool> = OnceLock::new();
    *LANDLOCK.get_or_init(|| match Sandbox::start(&launcher(), Confinement::Landlock) {
        Ok(_) => true,
        Err(Error::Unavailable { what, error, .. }) => {
            assert!(!may_have_landlock(), "cannot {what}: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    })
}

/// Whether the kernel is new enough for the Landlock that we need, and does not say that it is off.
fn may_have_landlock() -> bool {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let release = read("/proc/sys/kernel/osrelease");
    let mut numbers = release.split('.').map(|word| word.parse::<u32>().unwrap_or(0));
    let version = (numbers.next(), numbers.next());
    let modules = read("/sys/kernel/security/lsm");
    version >= (Some(6), Some(2)) && (modules.is_empty() || modules.contains("landlock"))
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
