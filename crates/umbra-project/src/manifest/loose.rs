//! C files without a build system.
//!
//! Each file with a `main` is a program, and is linked with all files that have none. So one file, a
//! folder of files that make one program, and a folder of small programs are all built by one command,
//! which also fits revisions that have other files.

use std::fs;
use std::path::{Path, PathBuf};

use super::Manifest;
use super::detect::BUILD_FOLDER;

/// Folders in which the files may be.
const PLACES: &[&str] = &["", "src", "source"];

/// Scripts that run tests.
const SCRIPTS: &[&str] = &[
    "test.sh",
    "tests.sh",
    "check.sh",
    "run-tests.sh",
    "run_tests.sh",
    "runtests.sh",
    "tests/run.sh",
    "tests/run-tests.sh",
    "tests/run_tests.sh",
    "tests/runtests.sh",
    "test/run.sh",
    "test/test.sh",
    "tests/test.sh",
];

/// Fills in the commands for a folder of C files; `false` if there is no file with a `main`.
pub fn fill_in(folder: &Path, manifest: &mut Manifest) -> bool {
    let Some(place) = PLACES.iter().find(|place| has_main(&folder.join(place))) else {
        return false;
    };
    let files = if place.is_empty() { "*.c".to_owned() } else { format!("{place}/*.c") };
    // What defines `main`, as grep knows it.
    let main = r"'(^|[^[:alnum:]_])main[[:space:]]*\('";
    let steps = &mut manifest.build;
    steps.configure = String::new();
    steps.build = format!(
        "mkdir -p {BUILD_FOLDER} && rest=$(grep -LE {main} {files}); \
         for file in $(grep -lE {main} {files}); do name=${{file##*/}}; \
         \"$CC\" -g -I. \"$file\" $rest -lm -o \"{BUILD_FOLDER}/${{name%.c}}\" || exit 1; done"
    );
    manifest.test = script(folder).map_or_else(String::new, |script| format!("sh {script}"));
    true
}

/// The script that runs the tests, if it has a usual name.
pub fn script(folder: &Path) -> Option<&'static str> {
    SCRIPTS.iter().copied().find(|name| folder.join(name).is_file())
}

fn has_main(folder: &Path) -> bool {
    c_files(folder).iter().any(|file| {
        let text = fs::read(file).unwrap_or_default();
        defines_main(&String::from_utf8_lossy(&text))
    })
}

fn c_files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "c")).collect()
}

/// Whether the word `main` stands before a parenthesis.
fn defines_main(text: &str) -> bool {
    text.match_indices("main").any(|(at, word)| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        !text[..at].ends_with(is_part) && text[at + word.len()..].trim_start().starts_with('(')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_main() {
        for (text, main) in [
            ("int main(void) {}", true),
            ("int\nmain (argc, argv)", true),
            ("int domain(void);", false),
            ("int main;", false),
            ("", false),
        ] {
            assert_eq!(defines_main(text), main, "{text}");
        }
    }
}
