//! Pools, cancelling, and the death of the asking process.

use std::fs;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use umbra_case::Case;
use umbra_replay::{Confinement, Error, Limits, Pool, Program, Run};
use umbra_words::End;

use crate::support::{compile, confinements, has_landlock, launcher, probe};

fn case(arguments: &[&str]) -> Case {
    Case {
        program: b"probe".to_vec(),
        arguments: arguments.iter().map(|argument| argument.as_bytes().to_vec()).collect(),
        ..Case::default()
    }
}

#[test]
fn results_are_in_the_order_of_the_runs() {
    let program = probe();
    let cases: Vec<Case> = (0..40)
        .map(|number| case(&[&format!("sleep={}", (number * 7) % 11), &format!("exit={number}")]))
        .collect();
    let runs: Vec<Run> = cases.iter().map(|case| Run { case, program: &program }).collect();
    let pool = Pool::start_best(&launcher(), 3).expect("a pool");
    let results = pool.run(&runs, &Limits::default(), &AtomicBool::new(false));
    let ends: Vec<End> = results.into_iter().map(|result| result.expect("a run").end).collect();
    assert_eq!(ends, (0..40).map(End::Exited).collect::<Vec<_>>());
}

#[test]
fn a_cancelled_pool_stops_at_once_and_can_be_used_again() {
    let program = probe();
    let (slow, quick) = (case(&["out=started", "sleep=60000"]), case(&[]));
    let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
    let pool = Pool::start(&launcher(), Confinement::Namespaces, 2).expect("a pool");
    let cancel = AtomicBool::new(false);
    let start = Instant::now();
    let results = std::thread::scope(|scope| {
        let slow = Run { case: &slow, program: &program };
        let (pool, limits, cancel) = (&pool, &limits, &cancel);
        let running = scope.spawn(move || pool.run(&[slow; 5], limits, cancel));
        cancel.store(true, Ordering::Relaxed);
        running.join().expect("no panic")
    });
    assert!(start.elapsed() < Duration::from_secs(30));
    assert_eq!(results.len(), 5);
    assert!(results.iter().all(|result| matches!(result, Err(Error::Cancelled))));
    let run = Run { case: &quick, program: &program };
    let again = pool.run(&[run], &limits, &AtomicBool::new(false));
    assert_eq!(again[0].as_ref().expect("a run").end, End::Exited(0));
}

/// The part of the next test that is killed: runs a program that would stay for a minute.
#[test]
fn helper_that_is_killed() {
    let Ok(victim) = std::env::var("UMBRA_REPLAY_VICTIM") else {
        assert!(std::env::var_os("UMBRA_REPLAY_VICTIM").is_none());
        return;
    };
    let confinement = match victim.as_str() {
        "landlock" => Confinement::Landlock,
        _ => Confinement::Namespaces,
    };
    let (program, long) = match victim.as_str() {
        // Traced, since it has counters.
        "counted" => {
            let path = compile("programs/counted.c", &["-static", "-no-pie"]);
            (Program::open(path).expect("counted.c"), case(&["hang"]))
        }
        _ => (probe(), case(&["background=60000", "sleep=60000"])),
    };
    let limits = Limits { wall: Duration::from_secs(60), ..Limits::default() };
    let pool = Pool::start(&launcher(), confinement, 1).expect("a pool");
    pool.run(&[Run { case: &long, program: &program }], &limits, &AtomicBool::new(false));
}

#[test]
fn nothing_is_left_when_the_asking_process_is_killed() {
    let program = probe();
    let quick = case(&[]);
    // The keeper, its init, the program, and what that left in the background, if it does.
    let kinds = confinements().map(|confinement| (confinement.name(), 4));
    for (victim, processes) in kinds.chain([("counted", 3)]) {
        // Another sandbox of the same user must not notice.
        let other = Pool::start_best(&launcher(), 1).expect("a pool");
        let mut victim = Command::new(std::env::current_exe().expect("the test's path"))
            .args(["--exact", "parallel::helper_that_is_killed"])
            .env("UMBRA_REPLAY_VICTIM", victim)
            .stdout(Stdio::null())
            .spawn()
            .expect("the test can be started again");
        let pid = victim.id();
        let scratch = launcher().scratch.join(format!("umbra-replay-{pid}-0"));
        let all = until(|| Some(descendants(pid)).filter(|found| found.len() >= processes));
        victim.kill().expect("it can be killed");
        victim.wait().expect("it ends");
        let gone = |pid: &u32| !fs::exists(format!("/proc/{pid}")).expect("an answer");
        until(|| all.iter().all(gone).then_some(()));
        until(|| (!fs::exists(&scratch).expect("an answer")).then_some(()));
        let run = Run { case: &quick, program: &program };
        let results = other.run(&[run], &Limits::default(), &AtomicBool::new(false));
        assert_eq!(results[0].as_ref().expect("a run").end, End::Exited(0));
    }
}

/// Looks again and again; fails after half a minute.
fn until<T>(mut look: impl FnMut() -> Option<T>) -> T {
    let start = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "it did not happen");
        std::thread::yield_now();
    }
}

fn descendants(of: u32) -> Vec<u32> {
    let mut found = vec![of];
    let pids: Vec<u32> = fs::read_dir("/proc")
        .expect("processes")
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .collect();
    let parent = |pid: u32| -> Option<u32> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)?.parse().ok()
    };
    loop {
        let more: Vec<u32> = pids
            .iter()
            .copied()
            .filter(|pid| !found.contains(pid))
            .filter(|pid| parent(*pid).is_some_and(|parent| found.contains(&parent)))
            .collect();
        if more.is_empty() {
            found.remove(0);
            return found;
        }
        found.extend(more);
    }
}

#[test]
fn what_a_killed_keeper_left_is_removed_by_the_next() {
    // Who has no folder on the disk leaves none.
    if !has_landlock() {
        return;
    }
    let folder = tempfile::tempdir_in("/tmp").expect("a folder");
    let open = std::os::unix::fs::PermissionsExt::from_mode(0o777);
    fs::set_permissions(folder.path(), open).expect("an open folder");
    // No process has this number.
    let stale = folder.path().join("umbra-replay-4194305-0");
    let lives = folder.path().join(format!("umbra-replay-{}-7", std::process::id()));
    let foreign = folder.path().join("something-4194305-0");
    for path in [&stale, &lives, &foreign] {
        fs::create_dir_all(path.join("run/work/a")).expect("folders");
        fs::write(path.join("run/work/a/file"), "").expect("a file");
        // Keepers of the superuser run as nobody.
        for part in ["", "run", "run/work", "run/work/a", "run/work/a/file"] {
            if rustix::process::geteuid().is_root() {
                let nobody = Some(65_534);
                std::os::unix::fs::chown(path.join(part), nobody, nobody).expect("another owner");
            }
        }
    }
    let launcher = umbra_replay::Launcher { scratch: folder.path().into(), ..launcher() };
    let pool = Pool::start(&launcher, Confinement::Landlock, 1).expect("a pool");
    drop(pool);
    let mut left: Vec<_> = fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    left.sort();
    assert_eq!(left, [foreign, lives]);
}
