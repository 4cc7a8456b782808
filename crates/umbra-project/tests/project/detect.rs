//! What is found in folders of all kinds.

use std::fs;
use std::path::{Path, PathBuf};

use umbra_project::{BuildSystem, Detected, Manifest, detect};

fn folder(files: &[(&str, &str)]) -> Detected {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let detected = detect(dir.path()).unwrap();
    // Whatever is found, the file that is written can be read.
    let text = detected.manifest.to_text();
    let read = Manifest::parse(Path::new("umbra.toml"), &text).unwrap();
    assert_eq!(read, detected.manifest, "{text}");
    detected
}

fn paths(names: &[&str]) -> Vec<PathBuf> {
    names.iter().map(PathBuf::from).collect()
}

#[test]
fn autotools() {
    let detected = folder(&[
        ("configure", "#! /bin/sh\n  --disable-nls   do not\n"),
        ("configure.ac", ""),
        ("Makefile.am", "SUBDIRS = lib src\n"),
        ("src/Makefile.am", "bin_PROGRAMS = cmp \\\n  diff\n"),
        ("tests/Makefile.am", "bin_PROGRAMS = never\n"),
        ("src/cmp.c", ""),
        ("more/deep/b.c", ""),
        ("tests/c.c", ""),
        ("lib/a.c", ""),
        ("doc/a.texi", ""),
    ]);
    assert_eq!(detected.system, Some(BuildSystem::Autotools));
    let manifest = detected.manifest;
    assert_eq!(manifest.programs, paths(&["src/cmp", "src/diff"]));
    assert_eq!((manifest.source, manifest.library), (paths(&["more", "src"]), paths(&["lib"])));
    assert_eq!(manifest.build.configure, "./configure --disable-nls");
    assert_eq!((manifest.build.prepare.as_str(), manifest.test.as_str()), ("", "make check"));
    assert_eq!(detected.notes, Vec::<String>::new());
}

#[test]
fn autotools_without_a_configure_script() {
    for (more, prepare) in [
        ("x", "autoreconf -fi"),
        ("bootstrap", "./bootstrap --skip-po"),
        ("autogen.sh", "NOCONFIGURE=1 ./autogen.sh"),
    ] {
        let detected = folder(&[("configure.ac", ""), (more, "")]);
        assert_eq!(detected.system, Some(BuildSystem::Autotools));
        assert_eq!(detected.manifest.build.prepare, prepare);
        assert_eq!(detected.manifest.build.configure, "./configure");
        assert!(detected.notes[0].contains(&format!("`{prepare}` will make it")));
    }
}

#[test]
fn programs_that_a_variable_names() {
    let files = [("configure", ""), ("src/Makefile.am", "bin_PROGRAMS = a @MORE@\n")];
    let detected = folder(&files);
    assert!(detected.manifest.programs.is_empty());
    assert!(detected.notes[0].contains("every program that the build links"));
}

#[test]
fn cmake_and_meson() {
    let detected = folder(&[
        ("CMakeLists.txt", "add_subdirectory(tool)\n"),
        ("tool/CMakeLists.txt", "add_executable(tool tool.c)\n"),
        ("Makefile", ""),
    ]);
    assert_eq!(detected.system, Some(BuildSystem::CMake));
    assert_eq!(detected.manifest.programs, paths(&["umbra-build/tool/tool"]));
    assert_eq!(detected.manifest.build.build, "cmake --build umbra-build");
    assert_eq!(detected.manifest.test, "ctest --test-dir umbra-build");

    let detected = folder(&[("meson.build", "executable('tool', 'tool.c')\n")]);
    assert_eq!(detected.system, Some(BuildSystem::Meson));
    assert_eq!(detected.manifest.programs, paths(&["umbra-build/tool"]));
    assert!(detected.manifest.build.configure.contains("$UMBRA_MESON_NATIVE_FILE"));
}

#[test]
fn plain_make_files_and_nothing() {
    for (makefile, test) in [
        ("all:\ncheck: all\ntest: check\n", "make check CC=\"$CC\" "),
        ("all:\nclean test: all\n", "make test CC=\"$CC\" "),
    ] {
        let detected = folder(&[("GNUmakefile", makefile)]);
        assert_eq!(detected.system, Some(BuildSystem::Make));
        assert_eq!(detected.manifest.build.configure, "");
        assert!(detected.manifest.build.build.starts_with("make CC=\"$CC\" AR="));
        assert!(detected.manifest.test.starts_with(test), "{}", detected.manifest.test);
    }
    let detected = folder(&[("GNUmakefile", "all:\n")]);
    assert_eq!(detected.manifest.test, "");
    let detected = folder(&[("main.c", "int main(void) {}\n"), ("tests/run.sh", "")]);
    assert_eq!(detected.system, Some(BuildSystem::Files));
    assert_eq!(detected.manifest.test, "sh tests/run.sh");
    let detected = folder(&[("main.c", "")]);
    assert_eq!(detected.system, None);
    assert!(detected.notes[0].starts_with("no build system found"), "{:?}", detected.notes);
}
