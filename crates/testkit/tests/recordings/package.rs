//! The packages whose suites are recorded.

/// A package with two releases.
pub struct Package {
    /// Its name in Debian.
    pub name: &'static str,
    /// Where the releases are from.
    pub suites: [&'static str; 2],
    /// What runs the tests of its programs, without those of gnulib, which run other programs.
    pub tests: &'static str,
    /// Of how many recordings one is run in the engine.
    pub step: usize,
}

/// All of them.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "diffutils",
        suites: ["bookworm", "trixie"],
        tests: "make -C tests check",
        step: 1,
    },
    Package {
        name: "findutils",
        suites: ["bookworm", "trixie"],
        tests: "for folder in find xargs locate tests; do make -k -C $folder check; done",
        step: 1,
    },
    Package {
        name: "coreutils",
        suites: ["bookworm", "trixie"],
        tests: "make -k -j2 check SUBDIRS=.",
        step: 8,
    },
];
