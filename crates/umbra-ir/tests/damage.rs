//! Damaged bitcode, loaded in a child process: always a value, within the limits.
//!
//! The files are sound ones with flipped bits, changed bytes, cut ends and wrong versions, from a
//! fixed seed. `DAMAGED=2000` makes more of them than the default.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use fastrand::Rng;
use umbra_ir::{Limits, LoadError, Loader};

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    match &arguments[..] {
        // The child's side.
        [command, path] if command == "__load" => {
            match umbra_ir::load_child(Path::new(path), &mut std::io::stdout()) {
                Ok(()) => ExitCode::SUCCESS,
                Err(_) => ExitCode::FAILURE,
            }
        }
        // A child that never answers, and one that never stops asking for memory.
        [command, _] if command == "__sleep" => {
            std::thread::sleep(Duration::from_secs(60));
            ExitCode::FAILURE
        }
        [command, _] if command == "__grow" => {
            let mut blocks = Vec::new();
            loop {
                blocks.push(vec![1u8; 1 << 20]);
            }
        }
        [command, _] if command == "__abort" => std::process::abort(),
        // Listing is all that a test runner may want beyond running.
        [command, ..] if command == "--list" => ExitCode::SUCCESS,
        _ => {
            sound_files_load();
            limits_are_values();
            damaged_files_are_values();
            println!("test result: ok");
            ExitCode::SUCCESS
        }
    }
}

fn loader(command: &str) -> Loader {
    Loader {
        program: std::env::current_exe().unwrap(),
        arguments: vec![command.into()],
        limits: Limits::default(),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Compiles a case, with and without debug information.
fn compile(name: &str, flags: &[&str]) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases").join(name);
    let output = folder().join(format!("damage-{name}{}.bc", flags.concat()));
    let status = Command::new("clang-19")
        .args(["-c", "-emit-llvm", "--target=x86_64-linux-gnu"])
        .args(flags)
        .arg(source)
        .arg("-o")
        .arg(&output)
        .status();
    assert!(status.unwrap().success());
    output
}

fn sound_files_load() {
    let path = compile("aggregates.c", &["-O0", "-g"]);
    let in_child = loader("__load").load(&path).unwrap();
    assert!(in_child == umbra_ir::load_bitcode(&path).unwrap());

    let missing = loader("__load").load(Path::new("/nonexistent.bc"));
    assert!(matches!(missing, Err(LoadError::Read { .. })));
}

fn limits_are_values() {
    let path = Path::new("some.bc");
    let limits =
        Limits { memory_bytes: 256 << 20, cpu_seconds: 5, wall: Duration::from_millis(300) };
    let with = |command| Loader { limits, ..loader(command) };
    let slow = with("__sleep").load(path).unwrap_err();
    assert_eq!(slow.to_string(), "loading some.bc exceeded its limit of 0.3 s");
    let limits = Limits { wall: Duration::from_secs(10), ..limits };
    let with = |command| Loader { limits, ..loader(command) };
    let hungry = with("__grow").load(path).unwrap_err();
    assert_eq!(hungry.to_string(), "loading some.bc exceeded its limit of 256 MiB of memory");
    let crash = with("__abort").load(path).unwrap_err();
    assert_eq!(crash.to_string(), "some.bc crashes LLVM's reader: signal 6");
    let mut nobody = with("__load");
    nobody.program = "/nonexistent".into();
    let error = nobody.load(path).unwrap_err();
    assert!(matches!(error, LoadError::Child { .. }), "{error}");
}

/// One way to damage a file.
fn damage(bytes: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let at = random.usize(..bytes.len());
    match random.usize(..5) {
        0 => bytes.truncate(at),
        1 => bytes[at] = random.u8(..),
        2 => {
            for _ in 0..=random.usize(..8) {
                let at = random.usize(..bytes.len());
                bytes[at] ^= 1 << random.usize(..8);
            }
        }
        // Identification and version are at the front.
        3 => bytes[4 + at % 60] ^= 1 << random.usize(..8),
        _ => bytes[at] ^= 1 << random.usize(..8),
    }
    bytes
}

fn damaged_files_are_values() {
    let count = std::env::var("DAMAGED").ok().and_then(|text| text.parse().ok());
    let count: usize = count.unwrap_or(200);
    let sound: Vec<Vec<u8>> = [
        compile("aggregates.c", &["-O0", "-g"]),
        compile("control.c", &["-O1"]),
        compile("initializers.c", &["-O0"]),
        compile("varargs.c", &["-O1", "-g"]),
    ]
    .iter()
    .map(|path| fs::read(path).unwrap())
    .collect();
    let loader = loader("__load");
    let path = folder().join("damaged.bc");
    let mut random = Rng::with_seed(1);
    let mut outcomes = std::collections::BTreeMap::<&str, u32>::new();
    for number in 0..count {
        let bytes = damage(&sound[number % sound.len()], &mut random);
        fs::write(&path, bytes).unwrap();
        let start = Instant::now();
        let outcome = match loader.load(&path) {
            Ok(program) => {
                program.verify().unwrap();
                "loaded"
            }
            Err(LoadError::Damaged { .. }) => "refused by LLVM",
            Err(LoadError::NotBitcode { .. }) => "not bitcode",
            Err(LoadError::WrongTarget { .. }) => "wrong target",
            Err(LoadError::Unsupported { .. }) => "unsupported",
            Err(LoadError::Malformed { .. }) => "malformed",
            Err(LoadError::Crashed { reason, .. }) => {
                // LLVM may die of a damaged file; our own code may not.
                assert!(!reason.contains("status: 101"), "file {number}: {reason}");
                "crashed"
            }
            Err(LoadError::LimitExceeded { .. }) => "limit",
            Err(error) => panic!("file {number}: {error}"),
        };
        *outcomes.entry(outcome).or_default() += 1;
        let elapsed = start.elapsed();
        // The limit is on the child; the rest is for a busy machine.
        assert!(elapsed < Duration::from_secs(12), "file {number}: {elapsed:?}");
    }
    println!("{count} damaged files: {outcomes:?}");
    assert!(outcomes.contains_key("refused by LLVM"));
}
