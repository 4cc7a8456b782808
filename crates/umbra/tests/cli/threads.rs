//! Programs with threads (tests/threads): native code is what the source says, also after recording.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// Seconds after which a program hangs.
const PATIENCE: u32 = 120;

/// The programs, by name.
fn programs() -> Vec<(String, PathBuf)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/threads");
    let wanted = std::env::var("UMBRA_THREADS").unwrap_or_default();
    let mut programs: Vec<(String, PathBuf)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension() == Some(OsStr::new("c")))
        .map(|path| (path.file_stem().unwrap().to_str().unwrap().to_owned(), path))
        .filter(|(name, _)| name.contains(&wanted))
        .collect();
    programs.sort();
    assert!(!programs.is_empty(), "no program in tests/threads");
    programs
}

/// How often each program runs; `make test-full` has more.
fn runs() -> u32 {
    std::env::var("UMBRA_THREAD_RUNS").map_or(5, |text| text.parse().unwrap())
}

/// What a program prints with the host's compiler and libc.
fn reference(dir: &Dir, name: &str, source: &Path) -> String {
    dir.ok(&format!("clang-19 -O1 -pthread {} -o {name}.host", source.display()));
    dir.ok(&format!("timeout {PATIENCE} ./{name}.host"))
}

#[test]
fn they_run_as_the_source_says_every_time() {
    let dir = Dir::new();
    for (name, source) in programs() {
        let expected = reference(&dir, &name, &source);
        dir.cc(&format!("-O2 {} -o {name}", source.display()));
        dir.assert_program(&name);
        for run in 0..runs() {
            let output = dir.shell(&format!("timeout {PATIENCE} ./{name}"));
            assert!(output.status.success(), "{name}, run {run}: {output:?}");
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{name}, run {run}");
        }
    }
}

/// Machine code beside the bitcode makes the linker generate the code, by another way.
#[test]
fn they_do_so_without_counters_too() {
    let dir = Dir::new();
    let (name, source) = programs().into_iter().find(|(name, _)| name == "mutex").unwrap();
    dir.write("f.S", ".globl relay\nrelay: jmp main\n");
    dir.cc(&format!("{} f.S -Wl,-u,relay -o {name}", source.display()));
    for _ in 0..runs() {
        assert_eq!(dir.ok(&format!("timeout {PATIENCE} ./{name}")), "400000\n");
    }
}

/// In the engine each goes as natively, in any order of its threads, or the path is cut where the source says so:
/// `//@ cut: what is not modelled`. What takes minutes there is left out (`//@ engine: no, why`).
#[test]
fn they_run_in_the_engine() {
    let dir = Dir::new();
    for (name, source) in programs() {
        let text = fs::read_to_string(&source).unwrap();
        if text.starts_with("//@ engine: no, ") {
            continue;
        }
        let cut = text.lines().find_map(|line| line.strip_prefix("//@ cut: "));
        let expected = reference(&dir, &name, &source);
        dir.cc(&format!("{} -o {name}", source.display()));
        let orders = ["", "--schedule newest", "--schedule 1"];
        // Where the path is cut, it may be cut elsewhere in another order.
        for options in if cut.is_some() { &orders[..1] } else { &orders } {
            let command = format!("timeout {PATIENCE} {UMBRA} run {options} ./{name}");
            let output = dir.shell(&command);
            let said = String::from_utf8_lossy(&output.stderr);
            match cut {
                Some(what) => {
                    assert_eq!(output.status.code(), Some(2), "{command}: {said}");
                    assert!(said.contains(what), "{command}: {said}");
                }
                None => {
                    assert!(output.status.success(), "{command}: {said}");
                    assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{command}");
                }
            }
        }
    }
}

#[test]
fn they_are_recorded_and_replayed() {
    let dir = Dir::new();
    for (name, source) in programs() {
        let expected = reference(&dir, &name, &source);
        dir.cc(&format!("{} -o {name}", source.display()));
        let record = format!(
            "timeout {PATIENCE} {UMBRA} record --json --output {name}.store --program {name} -- ./{name}"
        );
        let text = dir.ok(&record);
        let (printed, object) = text.trim_end().rsplit_once('\n').unwrap();
        assert_eq!(format!("{printed}\n"), expected, "{name}");
        let object: Value = serde_json::from_str(object).unwrap();
        assert_eq!(
            (&object["invocations"], &object["recorded"]),
            (&1.into(), &1.into()),
            "{object}"
        );
        // The second time it is compared with itself: what it does by chance is no difference.
        for versions in [format!("--on {name}"), format!("--on {name} --on {name}")] {
            let replay =
                format!("timeout {PATIENCE} {UMBRA} replay --json {versions} {name}.store");
            let object: Value = serde_json::from_str(&dir.ok(&replay)).unwrap();
            assert_eq!(object["cases"], 1, "{object}");
            match &object["runs"] {
                Value::Null => {
                    assert_eq!(object["comparisons"][0]["classes"]["same"], 1, "{object}");
                }
                runs => assert_eq!(runs[0]["end"], "exit status 0", "{object}"),
            }
        }
    }
}
