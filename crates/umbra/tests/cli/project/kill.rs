//! `kill -9` at any moment: the next build gives what an undisturbed one does.

use std::process::Stdio;
use std::time::Instant;

use super::Project;

/// How many moments: five, or as `UMBRA_KILLS` says.
fn kills() -> u32 {
    let kills = std::env::var("UMBRA_KILLS").ok();
    kills.map_or(5, |kills| kills.parse().expect("UMBRA_KILLS is a number"))
}

#[test]
fn killed_builds_do_no_harm() {
    let project = Project::plain();
    let start = Instant::now();
    let (new, _) = project.build("new");
    let from_scratch = start.elapsed();
    let expected = Project::artefacts(&new);
    let mut random = fastrand::Rng::with_seed(1);
    for kill in 0..kills() {
        project.umbra("gc --all");
        // Half of them on top of the other revision.
        let mut duration = from_scratch;
        if kill % 2 == 1 {
            project.build("old");
            duration /= 2;
        }
        let moment = duration.mul_f64(random.f64());
        let mut command = project.command("build new");
        let mut child = command.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap();
        std::thread::sleep(moment);
        // It may have ended already; its compilers may live on for a while.
        let _ = child.kill();
        child.wait().unwrap();
        let (again, said) = project.build("new");
        assert!(
            Project::artefacts(&again) == expected,
            "kill {kill} after {moment:?} changed the result: {said}"
        );
    }
}
