//! What all patches together come to, against what is required of unification.

use super::row::Row;

/// Something that is required, and what was measured.
pub struct Requirement {
    pub what: &'static str,
    pub required: &'static str,
    pub measured: String,
    pub holds: bool,
}

/// Packages of which two upstream releases are compared.
const RELEASES: [&str; 3] = ["coreutils", "diffutils", "findutils"];

/// All that is required.
pub fn requirements(rows: &[Row], failed: usize) -> Vec<Requirement> {
    let sum = |count: &dyn Fn(&Row) -> u64| rows.iter().map(count).sum::<u64>();
    let both = sum(&|row| row.lockstep("both"));
    let alone = sum(&|row| row.lockstep("old") + row.lockstep("new"));
    // An instruction of both counts for each of them.
    let share = 200.0 * both as f64 / (2 * both + alone).max(1) as f64;
    let good = rows.iter().filter(|row| row.share() >= 0.95).count();
    let (changed, copies) =
        (sum(&|row| row.unification("changed")), sum(&|row| row.unification("two_copies")));
    let (spurious, runs) = (sum(&|row| row.partings().1), sum(&Row::runs));
    let (patches, packages) = counts(rows);
    let slowest = |of_patch: bool| {
        let rows = rows.iter().filter(|row| (row.package == "patch") == of_patch);
        rows.map(Row::seconds).fold(0.0, f64::max)
    };
    let releases: Vec<&str> =
        RELEASES.into_iter().filter(|release| has_whole_and_parts(rows, release)).collect();
    let (patch, largest) = (slowest(true), slowest(false).max(slowest(true)));
    vec![
        Requirement {
            what: "patches compared",
            required: "60, of 10 packages",
            measured: format!("{patches}, of {packages}"),
            holds: patches >= 60 && packages >= 10,
        },
        Requirement {
            what: "releases compared, in parts and whole",
            required: "coreutils, diffutils, findutils",
            measured: if releases.is_empty() { "none".to_owned() } else { releases.join(", ") },
            holds: releases.len() == RELEASES.len(),
        },
        Requirement {
            what: "unifications that failed",
            required: "0",
            measured: failed.to_string(),
            holds: failed == 0,
        },
        Requirement {
            what: "changed functions kept as two copies",
            required: "at most 5 %",
            measured: format!("{copies} of {changed}"),
            holds: copies * 20 <= changed,
        },
        Requirement {
            what: "instructions in lockstep before the first divergence",
            required: "99 %",
            measured: format!("{share:.2} %"),
            holds: share >= 99.0,
        },
        Requirement {
            what: "programs with at least 95 %",
            required: "9 of 10",
            measured: format!("{good} of {}", rows.len()),
            holds: good * 10 >= rows.len() * 9,
        },
        Requirement {
            what: "runs that part and show nothing natively",
            required: "at most 2 %",
            measured: format!("{spurious} of {runs}"),
            holds: spurious * 50 <= runs,
        },
        Requirement {
            what: "slowest unification",
            required: "2 s for patch, 10 s for the largest",
            measured: format!("{patch:.2} s, {largest:.2} s"),
            holds: patch <= 2.0 && largest <= 10.0,
        },
    ]
}

/// Whether the releases of a package were compared as a whole, and parts of what differs.
fn has_whole_and_parts(rows: &[Row], release: &str) -> bool {
    let own = |row: &&Row| row.package.strip_suffix("-release") == Some(release);
    // A part is named after a file and a hunk, the whole after the package.
    let (whole, parts): (Vec<&Row>, Vec<&Row>) =
        rows.iter().filter(own).partition(|row| row.name.starts_with(release));
    !whole.is_empty() && !parts.is_empty()
}

/// How many patches there are, and of how many packages.
fn counts(rows: &[Row]) -> (usize, usize) {
    let mut patches: Vec<_> = rows.iter().map(|row| (&row.package, &row.tag)).collect();
    patches.sort();
    patches.dedup();
    let mut packages: Vec<_> = patches.iter().map(|(package, _)| package).collect();
    packages.dedup();
    (patches.len(), packages.len())
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_release_is_compared_as_a_whole_and_in_parts() {
        let row = |name: &str| Row {
            package: "findutils-release".to_owned(),
            tag: String::new(),
            name: name.to_owned(),
            program: String::new(),
            summary: Value::Null,
            differing: Default::default(),
        };
        let (whole, part) = (row("findutils 4.10.0"), row("xargs/xargs.c, hunk 31"));
        assert!(!has_whole_and_parts(std::slice::from_ref(&whole), "findutils"));
        assert!(!has_whole_and_parts(std::slice::from_ref(&part), "findutils"));
        let both = [whole, part];
        assert!(
            has_whole_and_parts(&both, "findutils") && !has_whole_and_parts(&both, "coreutils")
        );
    }
}
