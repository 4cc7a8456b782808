//! The small project: every number is known.

use std::path::Path;
use std::process::Command;

use anyhow::{Result, ensure};
use testkit::recordings::{Project, Sample, Suite, check, commit};

use crate::{root, show};

/// Records, replays and checks it.
pub fn small(umbra: &Path) -> Result<()> {
    let scratch = tempfile::tempdir()?;
    let folder = scratch.path().join("fields");
    let source = root().join("tests/projects/fields");
    let copy = |from: &str| -> Result<()> {
        let mut command = Command::new("cp");
        command.arg("-a").arg(source.join(from).join(".")).arg(&folder);
        ensure!(command.status()?.success(), "cannot copy {from}");
        Ok(())
    };
    std::fs::create_dir(&folder)?;
    copy("old")?;
    commit(&folder, "old")?;
    copy("patch")?;
    commit(&folder, "new")?;
    let project = Project { umbra: umbra.to_owned(), folder: folder.clone() };
    project.init()?;

    let recorded = project.umbra(&["record", "--revision", "old", "--json"])?;
    ensure!(recorded["exit"] == 0, "the suite fails while it is recorded: {recorded}");
    ensure!(recorded["invocations"] == 16 && recorded["recorded"] == 16, "{recorded}");
    // Two of the calls are the same, but for a variable that is not kept.
    ensure!(recorded["cases"] == 15, "{recorded}");
    let store = folder.join(".umbra/recordings");
    let leaks = Command::new("grep").args(["-r", "hunter2"]).arg(&store).output()?;
    ensure!(leaks.stdout.is_empty(), "a secret was stored");

    let replayed = project.umbra(&["replay", "--range", "old..new", "--sanitize", "--json"])?;
    let classes = &replayed["comparisons"][0]["classes"];
    let expected = serde_json::json!({
        "regression": 1, "output-difference": 4, "fix": 1, "same": 9,
    });
    ensure!(*classes == expected, "{replayed}");
    ensure!(replayed["exit"] == 1, "{replayed}");
    let first = &replayed["comparisons"][0]["clusters"][0];
    ensure!(first["class"] == "regression" && first["place"] == "fields.c:13", "{first}");
    let same = project.umbra(&["replay", "--range", "old..old", "--json"])?;
    ensure!(same["exit"] == 0 && same["comparisons"][0]["classes"]["same"] == 15, "{same}");

    let bare = project.umbra(&["record", "--revision", "old", "--bare", "--json"])?;
    ensure!(bare["exit"] == 0 && bare["invocations"] == 0, "{bare}");
    let checked = check(umbra, &store, &project.build("old")?, Sample(1))?;
    let unchecked = show("fields", &checked, &Suite::of(&recorded));
    ensure!(checked.problems.is_empty() && checked.unlike_recording.is_empty(), "see above");
    ensure!(checked.agreed.cases == 15, "only {} of 15 were compared", checked.agreed.cases);
    ensure!(checked.agreed.invocations == 16 && unchecked.part == 0.0, "of 16: {checked:?}");
    Ok(())
}
