//! Machines on which not every sandbox is available.
//!
//! In a user namespace of its own a test can forbid further ones, as administrators do, and has only
//! one user that is mapped, as in many containers.

use std::process::Command;

use umbra_case::Case;
use umbra_replay::{Confinement, Error, Launcher, Limits, Presence, Sandbox, facts};
use umbra_words::End;

use crate::support::{has_landlock, launcher, probe};

/// Set where no namespaces can be made.
const BARE: &str = "UMBRA_REPLAY_BARE";

/// Runs a test of this file again where no namespaces can be made; says whether this is there.
fn is_bare(test: &str) -> bool {
    if std::env::var_os(BARE).is_some() {
        return true;
    }
    probe();
    let forbid = "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"";
    let output = Command::new("unshare")
        .args(["--user", "--map-root-user", "sh", "-c", forbid, "sh"])
        .arg(std::env::current_exe().expect("the test's own path"))
        .args(["--exact", &format!("without::{test}"), "--nocapture"])
        .env(BARE, "1")
        .output()
        .expect("unshare is installed");
    let text =
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned());
    assert!(output.status.success() && text[0].contains("1 passed"), "{}", text.concat());
    false
}

#[test]
fn without_namespaces_there_is_landlock() {
    if !is_bare("without_namespaces_there_is_landlock") {
        return;
    }
    let sandbox = Sandbox::start_best(&launcher());
    if !has_landlock() {
        assert!(matches!(sandbox, Err(Error::NoSandbox { .. })));
        return;
    }
    let mut sandbox = sandbox.expect("a sandbox");
    assert_eq!(sandbox.confinement(), Confinement::Landlock);
    let case =
        Case { program: b"probe".to_vec(), arguments: vec![b"exit=3".to_vec()], ..Case::default() };
    let outcome = sandbox.run(&case, &probe(), &Limits::default()).expect("a run");
    assert_eq!(outcome.end, End::Exited(3));
}

#[test]
fn without_either_nothing_runs() {
    if !is_bare("without_either_nothing_runs") {
        return;
    }
    let launcher = Launcher { landlock_at_most: Some(2), ..launcher() };
    let error = Sandbox::start_best(&launcher).err().expect("no sandbox");
    assert!(matches!(error, Error::NoSandbox { .. }), "{error:?}");
    let text = error.to_string();
    for part in [
        "native runs need a sandbox, and this machine has none",
        "cannot make namespaces: No space left on device",
        "cannot use Landlock",
        "(see `umbra doctor`)",
    ] {
        assert!(text.contains(part), "{text}");
    }
}

/// What `umbra doctor` shows there.
#[test]
fn what_is_missing_is_named_with_the_way_to_get_it() {
    if !is_bare("what_is_missing_is_named_with_the_way_to_get_it") {
        return;
    }
    for (landlock_at_most, has_landlock) in [(None, has_landlock()), (Some(2), false)] {
        let facts = facts(&Launcher { landlock_at_most, ..launcher() });
        let find = |name| facts.iter().find(|fact| fact.name == name).expect("a fact");
        let (namespaces, landlock) = (find("namespaces"), find("landlock"));
        let Presence::Absent { reason, fix } = &namespaces.finding else {
            panic!("namespaces where there are none")
        };
        assert!(reason.starts_with("cannot make namespaces: "), "{reason}");
        assert_eq!(fix, "sysctl -w user.max_user_namespaces=10000");
        assert_eq!(matches!(landlock.finding, Presence::Present(_)), has_landlock, "{landlock:?}");
        // Without any of the two, both are needed as far as anybody can tell.
        assert_eq!((namespaces.optional, landlock.optional), (has_landlock, false));
    }
}
