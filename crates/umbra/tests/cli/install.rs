//! `make install`: what is where it should be can be used from there.

use std::fs;
use std::path::Path;

use crate::support::{Dir, UMBRA};

/// The repository.
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// Installs into the folder `to`, below which is the prefix.
fn installed(dir: &Dir) -> String {
    let to = dir.path("to");
    dir.ok(&format!("make -C {ROOT} install UMBRA={UMBRA} PREFIX=/opt/u DESTDIR={}", to.display()));
    format!("{}/opt/u", to.display())
}

/// Whether there is a program of this name.
fn has(dir: &Dir, program: &str) -> bool {
    dir.shell(&format!("command -v {program}")).status.success()
}

#[test]
fn the_installed_program_works_from_there() {
    let dir = Dir::new();
    let to = installed(&dir);
    let version = dir.ok(&format!("{to}/bin/umbra --version"));
    assert_eq!(version, dir.ok(&format!("{UMBRA} --version")));
    // The libc is in the cache, wherever the program is.
    let libc = dir.ok(&format!("{to}/bin/umbra libc path"));
    assert_eq!(libc, dir.ok(&format!("{UMBRA} libc path")));
    dir.write("one.c", "int main(void) { return 0; }\n");
    dir.ok(&format!("{to}/bin/umbra-cc -g one.c -o one && {to}/bin/umbra run ./one"));
    for file in ["share/doc/umbra/LICENSE-MIT", "share/doc/umbra/LICENSE-APACHE"] {
        assert!(Path::new(&to).join(file).exists(), "{file}");
    }
    let range = format!("UMBRA_RANGE=a..b {to}/libexec/umbra/ci-check --print-range");
    let repository = format!("cd {ROOT} && git rev-parse HEAD >/dev/null 2>&1");
    if dir.shell(&repository).status.success() {
        assert_eq!(dir.ok(&format!("cd {ROOT} && {range}")), "a..b\n");
    }
}

#[test]
fn each_command_has_a_page_that_can_be_read() {
    let dir = Dir::new();
    let pages = format!("{}/share/man/man1", installed(&dir));
    let help = dir.ok(&format!("{UMBRA} --help"));
    let commands = help.split("Commands:").nth(1).unwrap().split("Options:").next().unwrap();
    let commands: Vec<&str> =
        commands.lines().filter_map(|line| line.split_whitespace().next()).collect();
    assert!(commands.contains(&"check") && commands.len() > 10, "{commands:?}");
    for command in commands.iter().filter(|command| **command != "help") {
        let page = fs::read_to_string(format!("{pages}/umbra-{command}.1")).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH DESCRIPTION"), "{command}");
    }
    let names = dir.ok(&format!("ls {pages}"));
    assert!(names.contains("umbra-case-show.1"), "{names}");
    assert!(!names.contains("help") && !names.contains("__"), "{names}");
    for page in names.lines() {
        if has(&dir, "groff") {
            let said = dir.shell(&format!("groff -man -ww -z -Tutf8 {pages}/{page}"));
            assert_eq!(String::from_utf8_lossy(&said.stderr), "", "{page}");
        }
        if has(&dir, "mandoc") {
            dir.ok(&format!("mandoc -Tlint -W error {pages}/{page}"));
        }
    }
}

#[test]
fn completions_load() {
    let dir = Dir::new();
    let to = format!("{}/share", installed(&dir));
    let bash = format!("{to}/bash-completion/completions/umbra");
    let line =
        "COMP_WORDS=(umbra che) COMP_CWORD=1; _umbra umbra che umbra; echo \"${COMPREPLY[@]}\"";
    assert_eq!(dir.ok(&format!("bash -c 'source {bash}; {line}'")), "check\n");
    let zsh = format!("{to}/zsh/site-functions/_umbra");
    let fish = format!("{to}/fish/vendor_completions.d/umbra.fish");
    assert!(Path::new(&zsh).exists() && Path::new(&fish).exists());
    if has(&dir, "zsh") {
        dir.ok(&format!("zsh -f -c 'autoload -U compinit; compinit -D; source {zsh}'"));
    }
    if has(&dir, "fish") {
        let complete = format!("fish --no-config -c 'source {fish}; complete -C \"umbra che\"'");
        assert!(dir.ok(&complete).starts_with("check\t"));
    }
}

#[test]
fn what_cannot_be_installed_is_said() {
    let dir = Dir::new();
    let error = |args: &str| {
        let output = dir.shell(&format!("{ROOT}/scripts/install {args}"));
        assert_eq!(output.status.code(), Some(2));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(error("none /usr/local").contains("make build"));
    assert!(error(&format!("{UMBRA} here")).contains("absolute"));
}
