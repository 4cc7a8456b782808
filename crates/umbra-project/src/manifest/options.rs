//! Options of a project that turn its tests on.
//!
//! Many projects build their tests only if they are asked to. What is read here is the declaration of
//! the option: one that has no default, or a default that is not plain to see, is left alone.

use std::fs;
use std::path::Path;

/// Flags for CMake that turn tests on which are off.
pub fn cmake(folder: &Path) -> Vec<String> {
    let text = fs::read_to_string(folder.join("CMakeLists.txt")).unwrap_or_default();
    let mut flags = vec!["-DBUILD_TESTING=ON".to_owned()];
    for arguments in calls(&text, "option", '"') {
        let words: Vec<&str> = arguments.split_whitespace().collect();
        let (Some(name), Some(default)) = (words.first(), words.last()) else { continue };
        let flag = format!("-D{name}=ON");
        if is_about_tests(name) && default.eq_ignore_ascii_case("off") && !flags.contains(&flag) {
            flags.push(flag);
        }
    }
    flags
}

/// Flags for Meson that turn tests on which are off.
pub fn meson(folder: &Path) -> Vec<String> {
    let files = ["meson.options", "meson_options.txt"];
    let text = files.iter().find_map(|name| fs::read_to_string(folder.join(name)).ok());
    let mut flags = Vec::new();
    for arguments in calls(&text.unwrap_or_default(), "option", '\'') {
        let parts: Vec<&str> = arguments.split(',').map(str::trim).collect();
        let value = |key: &str| {
            let found = parts.iter().find_map(|part| part.strip_prefix(key))?;
            Some(found.trim().strip_prefix(':')?.trim().trim_matches('\''))
        };
        let name = parts.first().map_or("", |name| name.trim_matches('\''));
        if !is_about_tests(name) {
            continue;
        }
        match (value("type"), value("value")) {
            (Some("boolean"), Some("false")) => flags.push(format!("-D{name}=true")),
            (Some("feature"), Some("disabled" | "auto")) => {
                flags.push(format!("-D{name}=enabled"));
            }
            _ => {}
        }
    }
    flags
}

/// `tests`, `BUILD_TESTS`, `XYZ_ENABLE_TESTING`, and not `latest` or `test_coverage`.
fn is_about_tests(name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let last = lower.rsplit(['_', '-']).next().unwrap_or_default();
    let others = ["fuzz", "install", "bench", "cxx", "cpp", "python", "without", "disable", "no"];
    ["test", "tests", "testing"].contains(&last)
        && lower.split(['_', '-']).all(|word| !others.contains(&word))
}

/// The arguments of every call of a function; texts in them stand between `quote` marks.
fn calls<'a>(text: &'a str, function: &str, quote: char) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(function) {
        let before = rest[..at].chars().next_back();
        let is_word = before.is_none_or(|c| !c.is_alphanumeric() && c != '_' && c != '#');
        rest = &rest[at + function.len()..];
        if let Some(arguments) = rest.trim_start().strip_prefix('(')
            && is_word
        {
            let mut quoted = false;
            let end = arguments.find(|c| {
                quoted ^= c == quote;
                c == ')' && !quoted
            });
            found.push(&arguments[..end.unwrap_or(arguments.len())]);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str, text: &str) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(name), text).unwrap();
        dir
    }

    #[test]
    fn tests_that_are_off_are_turned_on() {
        let text = "option(BUILD_TESTING \"Build the tests.\" OFF)\n\
                    option(XYZ_BUILD_TESTS \"Tests (all)\" OFF)\noption(WITH_TESTS \"on\" ON)\n\
                    option(XYZ_LATEST \"no\" OFF)\noption(FUZZ_TEST \"no\" OFF)\n\
                    cmake_dependent_option(OTHER_TESTS \"x\" OFF)\n";
        let cmake = cmake(folder("CMakeLists.txt", text).path());
        assert_eq!(cmake, ["-DBUILD_TESTING=ON", "-DXYZ_BUILD_TESTS=ON"]);

        let text = "option('tests', type : 'boolean', value : false)\n\
                    option('docs', type: 'boolean', value: false)\n\
                    option('build-tests', type: 'feature', value: 'disabled', description: 'x')\n\
                    option('more_tests', type: 'boolean', value: true)\n";
        let meson = meson(folder("meson_options.txt", text).path());
        assert_eq!(meson, ["-Dtests=true", "-Dbuild-tests=enabled"]);
        assert_eq!(super::meson(folder("other", "").path()), Vec::<String>::new());
    }
}
