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
    /// Tests that notice the recording, so that their result may be another.
    pub noticing: &'static [(&'static str, Noticed)],
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

/// What of the recording a test notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Noticed {
    /// A recorded program starts strace or gdb, which cannot trace what is traced.
    Tracing,
    /// It looks for the smallest address space in which a program runs; the shim needs more than
    /// the static programs, with which it finds none and is skipped.
    AddressSpace,
}

/// All of them.
pub const PACKAGES: &[Package] = &[
    Package {
        name: "diffutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::Old,
        tests: "make -C tests check",
        noticing: &[],
        step: 1,
    },
    Package {
        name: "findutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::Old,
        tests: "for folder in find xargs locate tests; do make -k -C $folder check; done",
        noticing: &[],
        step: 1,
    },
    Package {
        name: "coreutils",
        suites: ["bookworm", "trixie"],
        recorded: Recorded::New,
        tests: "make -k -j4 check SUBDIRS=.",
        noticing: &[
            ("./tests/csplit/csplit-heap", Noticed::AddressSpace),
            ("./tests/cut/cut-huge-range", Noticed::AddressSpace),
            ("./tests/dd/no-allocate", Noticed::AddressSpace),
            ("./tests/misc/write-errors", Noticed::AddressSpace),
            ("./tests/printf/printf-surprise", Noticed::AddressSpace),
            ("./tests/tail/inotify-only-regular", Noticed::Tracing),
            ("./tests/tail/inotify-race", Noticed::Tracing),
            ("./tests/tail/inotify-race2", Noticed::Tracing),
            ("./tests/tail/inotify-rotate-resources", Noticed::Tracing),
        ],
        step: 8,
    },
];
