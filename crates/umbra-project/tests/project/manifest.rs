//! `umbra.toml`: what is read, and what errors say.

use std::path::{Path, PathBuf};

use umbra_project::{Flavour, Manifest};

fn parse(text: &str) -> Result<Manifest, String> {
    Manifest::parse(Path::new("umbra.toml"), text).map_err(|error| error.to_string())
}

#[test]
fn a_whole_manifest() {
    let text = r#"
[project]
name = "example"
programs = ["src/a", "./src/b"]
source = ["src"]
library = ["lib/"]

[build]
prepare = "autoreconf -fi"
configure = "./configure --disable-nls"
build = "make -C src"
jobs = 1
incremental = false

[build.checking]
flags = ["-DCHECKING", "-Wno-x"]
configure = "./configure --disable-nls --without-assembly"

[test]
command = "make test"

[record]
environment = ["EXAMPLE"]

[cache]
limit = "3 GiB"
"#;
    let manifest = parse(text).unwrap();
    assert_eq!(manifest.name.as_deref(), Some("example"));
    assert_eq!(manifest.programs, [PathBuf::from("src/a"), "src/b".into()]);
    assert_eq!((manifest.source, manifest.library), (vec!["src".into()], vec!["lib".into()]));
    let steps = manifest.build;
    assert_eq!((steps.jobs, steps.incremental), (Some(1), false));
    assert_eq!(steps.prepare, "autoreconf -fi");
    assert_eq!(steps.configure_for(Flavour::Analysis), "./configure --disable-nls");
    let checking = "./configure --disable-nls --without-assembly";
    assert_eq!(steps.configure_for(Flavour::Checking), checking);
    assert_eq!(steps.build_for(Flavour::Checking), "make -C src");
    assert_eq!(steps.of(Flavour::Checking).flags, ["-DCHECKING", "-Wno-x"]);
    assert!(steps.of(Flavour::Analysis).flags.is_empty());
    assert_eq!(manifest.test, "make test");
    assert_eq!(manifest.record_environment, ["EXAMPLE"]);
    assert_eq!(manifest.cache_limit, Some(3 << 30));
}

#[test]
fn defaults() {
    let manifest = parse("").unwrap();
    assert_eq!(manifest, Manifest::default());
    assert_eq!(manifest.build.configure, "./configure");
    assert_eq!((manifest.build.build.as_str(), manifest.test.as_str()), ("make", "make check"));
    assert_eq!(parse("[build]\nconfigure = ''").unwrap().build.configure, "");
}

#[test]
fn errors_name_line_and_expectation() {
    let cases = [
        (
            "[project]\n\nprograms = 7",
            "umbra.toml:3: `project.programs` must be a list of paths, found a number",
        ),
        (
            "[project]\nprograms = [\n  \"a\",\n  true,\n]",
            "umbra.toml:4: `project.programs` must be a list of paths, found true",
        ),
        (
            "[project]\nprograms = [\"../a\"]",
            "umbra.toml:2: `project.programs` must name paths inside the tree, found `../a`",
        ),
        (
            "[project]\nlibrary = [\"/usr\"]",
            "umbra.toml:2: `project.library` must name paths inside the tree, found `/usr`",
        ),
        (
            "[build]\nconfigur = ''",
            "umbra.toml:2: unknown key `configur`; did you mean `configure`?",
        ),
        ("[biuld]\n", "umbra.toml:1: unknown table `biuld`; did you mean `build`?"),
        ("[test]\nxyzzy = 1", "umbra.toml:2: unknown key `xyzzy`; known: `command`"),
        (
            "programs = []",
            "umbra.toml:1: unknown table `programs`; did you mean `project.programs`?",
        ),
        (
            "[build.analysis]\nflags = \"-g\"",
            "umbra.toml:2: `build.analysis.flags` must be a list of strings, found the text \"-g\"",
        ),
        (
            "[build]\njobs = 0",
            "umbra.toml:2: `build.jobs` must be a number above 0, found a number",
        ),
        (
            "[build]\nincremental = \"no\"",
            "umbra.toml:2: `build.incremental` must be true or false, found the text \"no\"",
        ),
        (
            "[cache]\nlimit = \"a lot\"",
            "umbra.toml:2: `cache.limit` must be a size such as \"20 GiB\", found the text \"a lot\"",
        ),
        ("build = 3", "umbra.toml:1: `build` must be a table, found a number"),
        (
            "[test]\ncommand = 1979-05-27",
            "umbra.toml:2: `test.command` must be a quoted string, found a date",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(parse(text).unwrap_err(), expected, "{text}");
    }
    for (text, line) in
        [("[project\n", 1), ("[test]\ncommand = \"a\n", 2), ("[a]\nx = 1\nx = 2", 3)]
    {
        let error = parse(text).unwrap_err();
        assert!(error.starts_with(&format!("umbra.toml:{line}: ")), "{text:?}: {error}");
    }
}

#[test]
fn no_manifest() {
    let dir = tempfile::tempdir().unwrap();
    let error = Manifest::load(dir.path()).unwrap_err().to_string();
    assert!(error.starts_with("no umbra.toml in ") && error.contains("`umbra init`"), "{error}");
}
