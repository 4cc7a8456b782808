//! The packages whose suites are recorded.

/// A package with two releases.
pub struct Package {
    /// Its name in Debian.
    pub name: &'static str,
    /// Where the releases are from.
    pub suites: [&'static str; 2],
    /// The one whose suite is recorded.
    pub recorded: Recorded,
    /// What runs the tests of its programs, without those of gnulib, which run other programs.
    pub tests: &'static str,
    /// Of how many recordings one is run in the engine.
    pub step: usize,
}

/// One of the two releases.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    /// What a patch would be tested with.
    Old,
    /// Its suite also has the tests for what changed.
    New,
}

/// All of them.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "diffutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::Old,
        tests: "make -C tests check",
        step: 1,
    },
    Package {
        name: "findutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::Old,
        tests: "for folder in find xargs locate tests; do make -k -C $folder check; done",
        step: 1,
    },
    Package {
        name: "coreutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::New,
        tests: "make -k -j4 check SUBDIRS=.",
        step: 8,
    },
];
