//! Projects by build system, from `umbra init` to programs.

use super::Project;

/// Stands for what autoconf makes: it asks the compiler, remembers answers in the cache file
/// that config.site names, and writes a Makefile.
const CONFIGURE: &str = r#"#!/bin/sh
# --disable-nls
test -z "$CONFIG_SITE" || . "$CONFIG_SITE"
test ! -f "$cache_file" || . "$cache_file"
if test -z "$answer"; then
    echo "checking how to compile"
    echo 'int main(void) { return 0; }' >conftest.c
    $CC -o conftest conftest.c && ./conftest || { echo "configure: error: no compiler"; exit 1; }
    answer=yes
    test -z "$cache_file" || echo "answer=yes" >"$cache_file"
else
    echo "(cached)"
fi
printf 'program: program.c\n\t%s -DANSWER=\\"%s\\" -o program program.c\n' "$CC" "$answer" >Makefile
"#;

const PROGRAM: &str = "#include <stdio.h>\nint main(void) { puts(ANSWER \" 1\"); return 0; }\n";

#[test]
fn configure_and_make() {
    let project = Project::empty();
    project.write("configure", CONFIGURE);
    project.write("program.c", PROGRAM);
    project.write("notes/data.csv", "1\n");
    project.dir.ok("chmod +x repo/configure");
    let (said, _) = project.umbra("init --no-try");
    assert!(said.contains("umbra.toml (autotools)"), "{said}");
    let manifest = project.dir.ok("cat repo/umbra.toml");
    assert!(manifest.contains("\nconfigure = \"./configure --disable-nls\"\n"), "{manifest}");
    let message = project.error("init");
    assert!(message.contains("already exists (use --force to overwrite it)"), "{message}");
    project.umbra("init --force --no-try");
    project.commit("old");
    let log = |build: &serde_json::Value| {
        std::fs::read_to_string(build["log"].as_str().unwrap()).unwrap()
    };
    let (old, _) = project.build("old");
    assert_eq!(Project::run(&old, "program").0, "yes 1\n");
    assert!(log(&old).contains("checking how to compile"));
    // From scratch, since nobody knows what the data is for; the script is the same.
    project.write("notes/data.csv", "2\n");
    project.write("program.c", &PROGRAM.replace('1', "2"));
    project.commit("new");
    let (new, said) = project.build("new");
    assert!(said.contains("because notes/data.csv changed"), "{said}");
    assert!(log(&new).contains("(cached)"), "{}", log(&new));
    assert_eq!(Project::run(&new, "program").0, "yes 2\n");
    // Another script: no old answers.
    project.write("configure", &CONFIGURE.replace("answer=yes", "answer=sure"));
    project.commit("other");
    let (other, _) = project.build("other");
    assert_eq!(Project::run(&other, "program").0, "sure 2\n");
}

#[test]
fn cmake() {
    let project = Project::empty();
    let list = "cmake_minimum_required(VERSION 3.16)\nproject(example C)\n\
                add_library(part part.c)\nadd_executable(program program.c)\n\
                target_link_libraries(program part)\n";
    project.write("CMakeLists.txt", list);
    project.write("part.h", "#define NUMBER 1\nint part(void);\n");
    project.write("part.c", "#include \"part.h\"\nint part(void) { return NUMBER; }\n");
    project.write("program.c", "#include \"part.h\"\nint main(void) { return part() + NUMBER; }\n");
    let (said, _) = project.umbra("init --no-try");
    assert!(said.contains("CMake"), "{said}");
    project.commit("old");
    project.write("part.h", "#define NUMBER 20\nint part(void);\n");
    project.commit("new");
    for flags in ["", "--checking "] {
        let (old, _) = project.build(&format!("{flags}old"));
        assert_eq!(Project::run(&old, "umbra-build/program").1, Some(2));
        // CMake knows the headers, so a change of one is built on top.
        let (new, said) = project.build(&format!("{flags}new"));
        assert!(said.contains(": rebuild"), "{said}");
        assert_eq!(Project::run(&new, "umbra-build/program").1, Some(40));
    }
}

#[test]
fn meson() {
    let project = Project::empty();
    let rules = "project('example', 'c')\npart = library('part', 'part.c')\n\
                 executable('program', 'program.c', link_with: part)\n";
    project.write("meson.build", rules);
    project.write("part.c", "int part(void) { return 1; }\n");
    project.write("program.c", "int part(void);\nint main(void) { return part(); }\n");
    let (said, _) = project.umbra("init --no-try");
    assert!(said.contains("Meson"), "{said}");
    project.commit("old");
    let (old, _) = project.build("old");
    assert_eq!(Project::run(&old, "umbra-build/program").1, Some(1));
    project.write("part.c", "int part(void) { return 2; }\n");
    project.commit("new");
    let (new, said) = project.build("new");
    assert!(said.contains(": rebuild"), "{said}");
    assert_eq!(Project::run(&new, "umbra-build/program").1, Some(2));
}
