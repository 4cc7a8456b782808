//! What can be done about a build that failed, and what is missing.
//!
//! A rule looks at what the failed command printed and changes the manifest. None applies to a
//! manifest that it has changed before, so trying again comes to an end.

use std::collections::BTreeSet;
use std::fmt;

use super::detect::{BUILD_FOLDER, TEST_TARGETS};
use super::{BuildSystem, Manifest};
use crate::deps;

/// A change of a manifest, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repair(pub String);

/// Changes the manifest so that the failure whose output this is may not come again.
pub fn repair(manifest: &mut Manifest, system: BuildSystem, output: &str) -> Option<Repair> {
    let rules: [Rule; 4] = [archiver_with_flags, own_folder, old_cmake, keep_going];
    rules.iter().find_map(|rule| rule(manifest, system, output)).map(Repair)
}

type Rule = fn(&mut Manifest, BuildSystem, &str) -> Option<String>;

/// `AR = ar rcs` in a Makefile: what we set in its place has to do the same.
fn archiver_with_flags(
    manifest: &mut Manifest,
    _system: BuildSystem,
    output: &str,
) -> Option<String> {
    const PLAIN: &str = "AR=\"$AR\"";
    let failed = output.lines().any(|line| line.contains("llvm-ar") && line.contains(": error:"));
    if !failed || !manifest.build.build.contains(PLAIN) {
        return None;
    }
    for command in [&mut manifest.build.build, &mut manifest.test] {
        *command = command.replace(PLAIN, "AR=\"$AR rcs\"");
    }
    Some("the Makefile's AR has flags of its own".into())
}

/// Configure scripts that do not want to run in the source.
fn own_folder(manifest: &mut Manifest, system: BuildSystem, output: &str) -> Option<String> {
    const SIGNS: &[&str] = &[
        "separate build directory",
        "separate directory",
        "in a build directory",
        "out-of-source",
        "out of source",
        "out-of-tree",
        "outside of the source",
        "outside the source",
        "in-source build",
        "in the source directory",
    ];
    let lower = output.to_ascii_lowercase();
    let steps = &mut manifest.build;
    let arguments = steps.configure.strip_prefix("./configure")?.to_owned();
    if system != BuildSystem::Autotools || !SIGNS.iter().any(|sign| lower.contains(sign)) {
        return None;
    }
    steps.configure =
        format!("mkdir -p {BUILD_FOLDER} && cd {BUILD_FOLDER} && ../configure{arguments}");
    for command in [&mut steps.build, &mut manifest.test] {
        *command = command.replacen("make", &format!("make -C {BUILD_FOLDER}"), 1);
    }
    manifest.programs = manifest.programs.iter().map(|path| below(path)).collect();
    Some("it is built in a folder of its own".into())
}

fn below(path: &std::path::Path) -> std::path::PathBuf {
    std::path::Path::new(BUILD_FOLDER).join(path)
}

/// CMake 4 refuses what is declared for versions before 3.5.
fn old_cmake(manifest: &mut Manifest, system: BuildSystem, output: &str) -> Option<String> {
    const OPTION: &str = "CMAKE_POLICY_VERSION_MINIMUM";
    let configure = &mut manifest.build.configure;
    if system != BuildSystem::CMake || !output.contains(OPTION) || configure.contains(OPTION) {
        return None;
    }
    *configure += " -DCMAKE_POLICY_VERSION_MINIMUM=3.5";
    Some("CMake is told to accept old projects".into())
}

/// Manuals and the like need tools and texts of their own, and programs do not need them: all that can
/// be made is made. Only for what is missing: an error in the source is one.
fn keep_going(manifest: &mut Manifest, system: BuildSystem, output: &str) -> Option<String> {
    if !matches!(system, BuildSystem::Autotools | BuildSystem::Make) {
        return None;
    }
    let tools = missing(output).into_iter().filter_map(|missing| match missing {
        Missing::Tool(name) => Some(name),
        _ => None,
    });
    let lacking: BTreeSet<String> = tools.chain(output.lines().filter_map(text)).collect();
    // The build failed in a command of make, not in configure.
    let in_make = output.lines().any(|line| line.starts_with("make") && line.contains("*** "));
    let build = &mut manifest.build.build;
    if lacking.is_empty() || !in_make || !build.starts_with("make") || build.contains("make -k") {
        return None;
    }
    *build = format!("{} || true", build.replacen("make", "make -k", 1));
    // Tests often come behind all else.
    if manifest.test.starts_with("make ") {
        manifest.test = manifest.test.replacen("make", "make -k", 1);
    }
    let lacking: Vec<String> = lacking.into_iter().collect();
    Some(format!("what needs {} is not built", lacking.join(", ")))
}

/// The file that make has no rule for, if no program is made of it.
fn text(line: &str) -> Option<String> {
    const SOURCES: &[&str] = &["c", "h", "o", "a", "y", "l", "s", "S", "lo", "la"];
    let rest = line.split_once("No rule to make target '")?.1;
    let (file, rest) = rest.split_once('\'')?;
    let ending = file.rsplit_once('.')?.1;
    let is_text = rest.starts_with(", needed by") && !SOURCES.contains(&ending);
    is_text.then(|| file.to_owned())
}

/// Something that a project needs and this machine does not have.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// A program.
    Tool(String),
    /// A library that `umbra deps add` can build.
    Library(&'static str),
    /// Something that is not known by its name: a header, or what is given to `-l` or pkg-config.
    Unknown(String),
}

impl fmt::Display for Missing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Missing::Tool(name) => write!(formatter, "the program {name}"),
            Missing::Library(name) => {
                write!(formatter, "the library {name} (`umbra deps add {name}` builds it)")
            }
            Missing::Unknown(name) => write!(formatter, "{name}"),
        }
    }
}

/// What the output of a failed command says is missing.
pub fn missing(output: &str) -> BTreeSet<Missing> {
    let mut found = BTreeSet::new();
    // Jobs that run at a time tear each other's lines apart; make tells that a program was not found.
    let is_torn = output.contains("Error 127");
    for line in output.lines() {
        let torn = || line.strip_suffix(": not found").filter(|_| is_torn);
        let name = tool(line).or_else(|| torn().map(str::to_owned));
        found.extend(name.filter(|name| is_tool(name)).map(Missing::Tool));
        found.extend(names(line).map(|(name, library)| match library {
            Some(library) => Missing::Library(library.name),
            None => Missing::Unknown(name),
        }));
    }
    found
}

/// The libraries that `umbra deps add` can build and that a build would have used, by its output: what
/// configure, CMake or Meson looked for and did not find.
pub fn asked_for(output: &str) -> BTreeSet<&'static str> {
    let sought = |line: &str| {
        let line = line.trim_end();
        if let Some(rest) = line.strip_prefix("checking for ") {
            let what = rest.strip_suffix(" no")?.trim_end_matches('.').to_owned();
            return match what.split_once(" in -l") {
                Some((_, link)) => deps::of_link(link),
                None => deps::of_header(&what).or_else(|| deps::of_package(&what)),
            };
        }
        if let Some(rest) = line.find(" dependency ").map(|at| &line[at + 12..]) {
            return deps::of_package(rest.strip_suffix(" found: NO")?.split(" (").next()?);
        }
        names(line)?.1
    };
    output.lines().filter_map(sought).map(|library| library.name).collect()
}

/// The next thing to try when the build links no program, or tests run none of those that it links:
/// that it builds the tests' own programs.
pub fn build_tests(manifest: &mut Manifest, system: BuildSystem) -> Option<Repair> {
    const BUILD_ONLY: &str = "check TESTS=";
    let (build, test) = (&mut manifest.build.build, &manifest.test);
    if system == BuildSystem::Autotools && test.ends_with(" check") && !build.contains(BUILD_ONLY) {
        *build += &format!(" && {test} TESTS=");
        return Some(Repair("the build also links the tests' programs".into()));
    }
    // Where nothing else links them, running the tests does.
    let all = format!("{{ {test} || true; }}");
    if test.is_empty() || build.ends_with(&all) {
        return None;
    }
    *build += &format!(" && {all}");
    Some(Repair("the build also runs the tests, which link their programs".into()))
}

/// Another command for tests, when a target does not exist.
pub fn other_target(manifest: &mut Manifest, output: &str) -> Option<Repair> {
    let missing = |target: &str| {
        let rule = format!("No rule to make target '{target}'");
        output.lines().any(|line| line.contains(&rule) && !line.contains("needed by"))
    };
    let at = TEST_TARGETS.iter().position(|target| missing(target))?;
    let old = TEST_TARGETS[at];
    let new = TEST_TARGETS.get(at + 1)?;
    let is_target = |word: &&str| *word == old;
    if !manifest.test.split_whitespace().any(|word| is_target(&word)) {
        return None;
    }
    let words = manifest.test.split(' ').map(|word| if word == old { new } else { word });
    manifest.test = words.collect::<Vec<_>>().join(" ");
    Some(Repair(format!("there is no target `{old}`")))
}

/// Whether a text can be the name of a program.
fn is_tool(name: &str) -> bool {
    let plain = |c: char| c.is_alphanumeric() || "-_.+".contains(c);
    !name.is_empty() && name.chars().all(plain) && !name.starts_with('-')
}

/// The program that a shell, make or Meson could not find.
fn tool(line: &str) -> Option<String> {
    let last = |text: &str| text.rsplit([' ', ':']).next().unwrap_or_default().to_owned();
    let quoted = |text: &str| text.split(['\'', '"']).nth(1).unwrap_or_default().to_owned();
    let name = if let Some(before) = line.strip_suffix(": command not found") {
        last(before)
    } else if let Some(before) = line.strip_suffix(": not found")
        && line.matches(':').count() >= 3
    {
        // `/bin/sh: 1: xsltproc: not found`
        last(before)
    } else if let Some(rest) = line.strip_prefix("make: ").or_else(|| line.strip_prefix("make["))
        && let Some(before) = rest.strip_suffix(": No such file or directory")
    {
        last(before)
    } else if line.starts_with("Program ") && line.contains(" found: NO")
        || line.contains("Program '") && line.contains("not found")
    {
        quoted(line)
            .split_whitespace()
            .next()
            .map(str::to_owned)
            .or_else(|| line.split_whitespace().nth(1).map(str::to_owned))?
    } else {
        return None;
    };
    Some(name)
}

/// Headers, libraries and packages that a line says are not there, with what has them.
fn names(line: &str) -> Option<(String, Option<&'static deps::Library>)> {
    let between = |before: &str, after: &str| {
        let rest = &line[line.find(before)? + before.len()..];
        rest.find(after).map(|end| rest[..end].to_owned())
    };
    if let Some(header) = between("fatal error: '", "' file not found") {
        return Some((format!("the header {header}"), deps::of_header(&header)));
    }
    if let Some(at) = line.find("unable to find library -l") {
        let name = line[at + "unable to find library -l".len()..].trim();
        return Some((format!("the library -l{name}"), deps::of_link(name)));
    }
    let package = between("No package '", "' found")
        .or_else(|| between("Dependency \"", "\" not found"))
        .or_else(|| between("Dependency '", "' not found"))
        .or_else(|| between("Dependency lookup for ", " with"))
        .or_else(|| between("Package '", "', required by"))
        .or_else(|| between("required packages were not found:\n - ", "\n"));
    if let Some(package) = package {
        return Some((format!("the package {package}"), deps::of_package(&package)));
    }
    if let Some(rest) = line.find("Could NOT find ").map(|at| &line[at + 15..]) {
        let name = rest.split([' ', '(']).next().unwrap_or_default();
        return Some((format!("the package {name}"), deps::of_package(&name.to_lowercase())));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::detect::test_target;

    fn make() -> Manifest {
        let mut manifest = Manifest { test: test_target("check"), ..Manifest::default() };
        manifest.build.build = test_target("");
        manifest
    }

    #[test]
    fn an_archiver_with_flags() {
        let output = "llvm-ar-19 libx.a x.o\nllvm-ar-19: error: unknown option .\n";
        let mut manifest = make();
        assert!(repair(&mut manifest, BuildSystem::Make, output).is_some());
        assert!(manifest.build.build.contains("AR=\"$AR rcs\""), "{manifest:?}");
        assert!(manifest.test.contains("AR=\"$AR rcs\""), "{manifest:?}");
        // What did not help is not done again.
        assert_eq!(repair(&mut manifest, BuildSystem::Make, output), None);
    }

    #[test]
    fn a_folder_of_its_own() {
        let output = "configure: error: you must configure in a separate build directory\n";
        let mut manifest = Manifest { programs: vec!["src/x".into()], ..Manifest::default() };
        assert!(repair(&mut manifest, BuildSystem::Autotools, output).is_some());
        let steps = &manifest.build;
        assert_eq!(steps.configure, "mkdir -p umbra-build && cd umbra-build && ../configure");
        assert_eq!(steps.build, "make -C umbra-build");
        assert_eq!(manifest.test, "make -C umbra-build check");
        assert_eq!(manifest.programs, [std::path::Path::new("umbra-build/src/x")]);
        assert_eq!(repair(&mut manifest, BuildSystem::Autotools, output), None);
    }

    #[test]
    fn what_needs_tools_that_are_not_there_is_left_out() {
        let output = "xsltproc x.xml\nmake: xsltproc: No such file or directory\n\
                      make: *** [Makefile:3: x.1] Error 127\n";
        let mut manifest = make();
        let said = repair(&mut manifest, BuildSystem::Make, output).unwrap();
        assert_eq!(said.0, "what needs xsltproc is not built");
        assert!(manifest.build.build.starts_with("make -k "), "{manifest:?}");
        assert!(manifest.build.build.ends_with(" || true"), "{manifest:?}");
        assert_eq!(repair(&mut manifest, BuildSystem::Make, output), None);
        let output = "make[2]: *** No rule to make target 'x.texi', needed by 'x.info'.  Stop.\n";
        let mut manifest = make();
        let said = repair(&mut manifest, BuildSystem::Make, output).unwrap();
        assert_eq!(said.0, "what needs x.texi is not built");
        assert!(manifest.test.starts_with("make -k check"), "{manifest:?}");
        let output = "make: *** No rule to make target 'x.c', needed by 'x.o'.  Stop.\n";
        assert_eq!(repair(&mut make(), BuildSystem::Make, output), None);
        let source = "a.c:1:2: error: expected\nmake: *** [Makefile:3: a.o] Error 1\n";
        assert_eq!(repair(&mut make(), BuildSystem::Make, source), None);
    }

    #[test]
    fn a_target_that_does_not_exist() {
        let mut manifest = make();
        let none = |target: &str| format!("make: *** No rule to make target '{target}'.  Stop.\n");
        for (old, new) in [("check", "make test CC="), ("test", "make tests CC=")] {
            assert!(other_target(&mut manifest, &none(old)).is_some());
            assert!(manifest.test.starts_with(new), "{manifest:?}");
        }
        assert_eq!(other_target(&mut manifest, &none("tests")), None);
        let needed = "make: *** No rule to make target 'tests', needed by 'x'.  Stop.\n";
        assert_eq!(other_target(&mut make(), needed), None);
    }

    #[test]
    fn programs_of_tests_are_built_in_two_ways() {
        let mut manifest = Manifest::default();
        assert!(build_tests(&mut manifest, BuildSystem::Autotools).is_some());
        assert_eq!(manifest.build.build, "make && make check TESTS=");
        assert!(build_tests(&mut manifest, BuildSystem::Autotools).is_some());
        let build = "make && make check TESTS= && { make check || true; }";
        assert_eq!(manifest.build.build, build);
        assert_eq!(build_tests(&mut manifest, BuildSystem::Autotools), None);
        let mut untested = Manifest { test: String::new(), ..Manifest::default() };
        assert_eq!(build_tests(&mut untested, BuildSystem::Make), None);
    }

    #[test]
    fn what_was_looked_for_and_not_found() {
        let output = "checking for deflate in -lz... no\nchecking for pcre2.h... no\n\
                      checking for expat.h... yes\nRun-time dependency libpng found: NO (tried)\n\
                      Run-time dependency libffi found: NO\n-- Could NOT find JPEG (missing: X)\n\
                      checking for strlcpy... no\n";
        let expected = BTreeSet::from(["zlib", "pcre2", "libffi", "libjpeg-turbo"]);
        assert_eq!(asked_for(output), expected);
    }

    #[test]
    fn what_is_missing_has_a_name() {
        let library = |name| Missing::Library(name);
        for (output, expected) in [
            ("/bin/sh: 1: xsltproc: not found", Missing::Tool("xsltproc".into())),
            ("./x.sh: line 3: gperf: command not found", Missing::Tool("gperf".into())),
            (
                "/bin/sh: 1: cc -c a.c\nbison: not found\nmake: *** [x] Error 127",
                Missing::Tool("bison".into()),
            ),
            ("make[2]: bison: No such file or directory", Missing::Tool("bison".into())),
            ("a.c:1:10: fatal error: 'zlib.h' file not found", library("zlib")),
            ("ld.lld: error: unable to find library -lncursesw", library("ncurses")),
            ("No package 'libpcre2-8' found", library("pcre2")),
            ("x/meson.build:3:0: ERROR: Dependency \"expat\" not found, tried", library("expat")),
            ("CMake Error: Could NOT find ZLIB (missing: ZLIB_LIBRARY)", library("zlib")),
            (
                "a.c:1:10: fatal error: 'sys/cdefs.h' file not found",
                Missing::Unknown("the header sys/cdefs.h".into()),
            ),
        ] {
            assert_eq!(missing(output), BTreeSet::from([expected]), "{output}");
        }
        for output in ["checking for x... not found", "cc: not found", "a.c:3: error: x", ""] {
            assert_eq!(missing(output), BTreeSet::new(), "{output}");
        }
    }
}
