//! What is measured.

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A C file of ours, and a flag for the compiler.
    Source(&'static str, &'static str),
    /// A program of coreutils with an annotated change.
    Annotated(&'static str),
}

/// Two versions against one, on the same paths.
pub struct Cost {
    pub name: &'static str,
    pub origin: Origin,
    /// Arguments; KLEE's descriptions of inputs where all paths are explored.
    pub words: &'static [&'static str],
    /// Standard input of the one input that is followed, and how often it is repeated.
    pub follow: Option<&'static str>,
    pub repeat: usize,
    /// When to stop.
    pub instructions: Option<u64>,
    /// Whether it is to cost little; what a patch costs that changes much is shown for comparison.
    pub aim: bool,
}

/// All paths of two versions.
pub struct Rate {
    /// A C file of ours.
    pub name: &'static str,
    /// What the Java tool of complete shadow symbolic execution reports for a program of this kind,
    /// in diff paths a second.
    pub java_rate: f64,
}

const fn whole(name: &'static str, origin: Origin) -> Cost {
    Cost { name, origin, words: &[], follow: None, repeat: 0, instructions: None, aim: true }
}

/// Programs whose versions do not part.
pub const COSTS: [Cost; 7] = [
    // Nothing symbolic but the change.
    whole("sieve, one input", Origin::Source("sieve", "-DPLAIN")),
    whole("words, a rare change", Origin::Source("words", "-DRARE")),
    // Nearly every path is a divergence, where the new version alone has a result that depends on
    // the input too.
    whole("words, all differ", Origin::Source("words", "-DWEIGHED")),
    // The same where the new version alone has a number, and with two it is an expression: what
    // that costs is not the versions', so there is no aim.
    Cost { aim: false, ..whole("words, a pair at the end", Origin::Source("words", "-DPLAIN")) },
    // A pair in every step, where the new version alone has numbers.
    Cost { aim: false, ..whole("words, a pair all along", Origin::Source("words", "-DCARRIED")) },
    // The path of a test, all of its bytes symbolic.
    Cost {
        name: "cut, one test",
        origin: Origin::Annotated("cut"),
        words: &["-b", "2-4,6"],
        follow: Some("abcdef ghijkl\n"),
        repeat: 200,
        instructions: None,
        aim: true,
    },
    Cost {
        name: "cut, many paths",
        origin: Origin::Annotated("cut"),
        words: &["-b", "--sym-arg", "3", "--sym-stdin", "4"],
        follow: None,
        repeat: 0,
        instructions: Some(8_000_000),
        aim: true,
    },
];

/// State machines; the rates are those of 13,824 diff paths in 121 s and of 15,204 in 193 s.
pub const RATES: [Rate; 2] = [
    Rate { name: "brake", java_rate: 13_824.0 / 121.0 },
    Rate { name: "lift", java_rate: 15_204.0 / 193.0 },
];

/// A program that is followed near tests.
pub struct Near {
    /// A C file of ours.
    pub name: &'static str,
    /// A flag for the compiler.
    pub flag: &'static str,
    /// What it makes symbolic, and how many bytes that is.
    pub object: (&'static str, usize),
}

/// State machines whose points have thousands of paths.
pub const NEAR: [Near; 2] = [
    Near { name: "brake", flag: "-DSTEPS=6", object: ("pedal", 6) },
    Near { name: "lift", flag: "-DSTEPS=5", object: ("event", 5) },
];
