//! The hostile corpus (`tests/hostile`): attacks as data, checked from the host's side.

mod decoy;
mod generate;
mod guards;
mod machine;
mod notices;
mod row;
mod sentinel;

use std::sync::atomic::AtomicBool;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use umbra_case::{Case, Entry};
use umbra_compare::Outcome;
use umbra_replay::{Confinement, Error, Launcher, Limits, Pool, Program, Run};

use crate::support::{compile, launcher, locations};
use machine::{ORDINARY, SAME};
use row::{Row, rows};
use sentinel::Sentinel;

const PROGRAMS: [&str; 4] = ["files", "calls", "resources", "touch"];

#[test]
fn nothing_gets_out_of_namespaces() {
    check("nothing_gets_out_of_namespaces", || {
        check_all(Confinement::Namespaces, &launcher());
    });
}

#[test]
fn nothing_gets_out_of_landlock() {
    check("nothing_gets_out_of_landlock", || check_all(Confinement::Landlock, &launcher()));
}

/// As on Linux 6.2, where Landlock does not know signals.
#[test]
fn nothing_gets_out_of_an_old_landlock() {
    let launcher = Launcher { landlock_at_most: Some(3), ..launcher() };
    check("nothing_gets_out_of_an_old_landlock", || check_all(Confinement::Landlock, &launcher));
}

/// Where no control group counts memory, as for most ordinary users.
#[test]
fn nothing_is_taken_without_a_control_group() {
    let launcher = Launcher { without_group: true, ..launcher() };
    check("nothing_is_taken_without_a_control_group", || {
        check_rows(Confinement::Namespaces, &launcher, |row| row.program == "resources");
        check_rows(Confinement::Landlock, &launcher, |row| row.program == "resources");
    });
}

#[test]
fn no_generated_case_gets_out_of_namespaces() {
    check("no_generated_case_gets_out_of_namespaces", || {
        generate::check_all(Confinement::Namespaces, &launcher());
    });
}

#[test]
fn no_generated_case_gets_out_of_landlock() {
    check("no_generated_case_gets_out_of_landlock", || {
        generate::check_all(Confinement::Landlock, &launcher());
    });
}

#[test]
fn a_landlock_that_is_too_old_is_refused() {
    let launcher = Launcher { landlock_at_most: Some(2), ..launcher() };
    let error = Pool::start(&launcher, Confinement::Landlock, 1).err().expect("an error");
    let text = error.to_string();
    assert!(text.starts_with("no landlock sandbox: cannot use Landlock: "), "{text}");
    assert!(text.ends_with("(see `umbra doctor`)"), "{text}");
}

/// Without namespaces the kernel counts the processes of a user wherever they are, so that attacks
/// side by side would take each other's.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs one of the tests above again on a machine of its own, where the whole tree and all processes
/// are compared: as this user and, if this is the superuser, as an ordinary one.
fn check(test: &str, check: impl Fn()) {
    if locations::copies().is_some() {
        return check();
    }
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let copies = copies();
    let users: &[&str] = match rustix::process::geteuid().is_root() {
        true => &[SAME, ORDINARY],
        false => &[SAME],
    };
    for user in users {
        match machine::run_test(user, &format!("hostile::{test}"), copies.path()) {
            Ok(report) => {
                report.assert_clean();
                // Some attacks write this to what they find open.
                assert!(!report.output.contains("attacked"), "{}", report.output);
                assert!(report.output.contains("1 passed"), "{}", report.output);
            }
            // Then what the sentinel sees has to do.
            Err(reason) => {
                assert!(!machine::is_required(), "{reason}");
                check();
            }
        }
    }
}

/// What the tests above need, readable for every user: the folder of the build may be closed.
fn copies() -> tempfile::TempDir {
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(folder.path(), open).expect("an open folder");
    let own = std::env::current_exe().expect("the test's own path");
    let copy = |from: &std::path::Path, name: &str| {
        std::fs::copy(from, folder.path().join(name)).expect("a copy");
    };
    copy(&own, "test");
    copy(&launcher().program, "sandbox");
    for program in PROGRAMS {
        copy(&attack(program), program);
    }
    folder
}

fn attack(name: &str) -> std::path::PathBuf {
    match locations::copies() {
        Some(folder) => folder.join(name),
        None => compile(&format!("hostile/{name}.c"), &["-static", "-Wno-infinite-recursion"]),
    }
}

fn limits() -> Limits {
    const MIB: u64 = 1 << 20;
    Limits {
        wall: Duration::from_secs(2),
        cpu: Duration::from_secs(2),
        memory: 256 * MIB,
        address_space: 512 * MIB,
        file_size: 16 * MIB,
        processes: 32,
        disk: 32 * MIB,
        inodes: 4096,
        open_files: 256,
        output: MIB,
        tree_entries: 10_000,
        tree_bytes: 64 * MIB,
        grace: Duration::from_millis(100),
        patience: 1,
    }
}

/// All rows in one kind of sandbox, then the host.
fn check_all(confinement: Confinement, launcher: &Launcher) {
    check_rows(confinement, launcher, |_| true);
}

/// Some rows in one kind of sandbox, then the host.
fn check_rows(confinement: Confinement, launcher: &Launcher, is_wanted: impl Fn(&Row) -> bool) {
    let pool = match Pool::start(launcher, confinement, 2) {
        Ok(pool) => pool,
        // Not available here: then it must be refused, with words.
        Err(Error::Unavailable { what, .. }) => {
            assert!(!what.is_empty());
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let sentinel = Sentinel::new();
    let mut rows = rows();
    assert!(rows.len() >= 200, "{} rows", rows.len());
    rows.retain(is_wanted);
    let programs = PROGRAMS.map(|name| (name, Program::open(attack(name)).expect(name)));
    let cases: Vec<Case> = rows.iter().map(|row| case(row, &sentinel)).collect();
    let find = |row: &Row| {
        let program = programs.iter().find(|(name, _)| *name == row.program);
        &program.expect("a program of that name").1
    };
    let mut failures = Vec::new();
    // What is expected to run into its time, or may, is not given more than it takes to begin.
    let short = Limits { wall: Duration::from_millis(700), ..limits() };
    for (limits, is_patient) in [(short, true), (limits(), false)] {
        let (rows, runs): (Vec<&Row>, Vec<Run>) = rows
            .iter()
            .zip(&cases)
            .filter(|(row, _)| row.is_patient(confinement) == is_patient)
            .map(|(row, case)| (row, Run { case, program: find(row) }))
            .unzip();
        let results = pool.run(&runs, &limits, &AtomicBool::new(false));
        for (row, result) in rows.into_iter().zip(results) {
            let checked = result.map_err(|error| error.to_string()).and_then(|outcome| {
                within(&outcome, &limits)?;
                row.check(confinement, &outcome)
            });
            failures.extend(checked.err().map(|reason| format!("{}: {reason}", row.name)));
        }
    }
    drop(pool);
    failures.extend(sentinel.changes());
    assert!(failures.is_empty(), "{} of {}:\n{}", failures.len(), rows.len(), failures.join("\n"));
}

/// Time may be lost when the machine is busy, but not much.
fn within(outcome: &Outcome, limits: &Limits) -> Result<(), String> {
    let most = limits.wall + Duration::from_secs(3);
    if outcome.usage.wall > most { Err(format!("took {:?}", outcome.usage.wall)) } else { Ok(()) }
}

fn case(row: &Row, sentinel: &Sentinel) -> Case {
    let arguments = row.arguments.iter();
    Case {
        program: row.program.clone().into_bytes(),
        arguments: arguments.map(|argument| sentinel.fill_in(argument).into_bytes()).collect(),
        environment: vec![sentinel.mark().into_bytes()],
        tree: vec![Entry::symlink("out", sentinel.folder().as_os_str().as_encoded_bytes())],
        descriptors: row.terminal().collect(),
        ..Case::default()
    }
}

/// The attacks that are marked do succeed where nothing stops them.
#[test]
fn attacks_bite_without_a_sandbox() {
    let failures: Vec<String> = rows()
        .iter()
        .filter(|row| row.bites)
        .filter_map(|row| decoy::try_on_decoy(row, &attack(&row.program)).err())
        .collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
