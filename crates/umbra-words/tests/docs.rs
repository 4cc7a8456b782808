//! What the documentation points to exists: links lead to files, source files that are named are there, and so
//! are functions, types and constants that the pages about the code name.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 7] = ["benches", "ci", "crates", "docs", "examples", "scripts", "tests"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files and folders below a folder, as paths from the root.
fn collect(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(root().join(folder)).unwrap() {
        let entry = entry.unwrap();
        let path = folder.join(entry.file_name());
        found.insert(path.to_string_lossy().into_owned());
        if entry.file_type().unwrap().is_dir() {
            collect(&path, found);
        }
    }
}

fn pages(files: &BTreeSet<String>) -> Vec<String> {
    let below = files.iter().filter(|file| file.starts_with("docs/") && file.ends_with(".md"));
    let top = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md"].map(str::to_owned);
    top.into_iter().chain(below.cloned()).collect()
}

/// The targets of a page's links that are neither addresses nor headings.
fn links(text: &str) -> impl Iterator<Item = &str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let targets = targets.map(|target| target.split('#').next().unwrap_or_default());
    targets.filter(|target| !target.is_empty() && !target.contains("://"))
}

/// What stands between backquotes and is meant as a source file, or as a path from the root.
fn sources(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(|quoted| quoted.trim_end_matches('/')).filter(|quoted| {
        let is_path = !quoted.contains(|c: char| c.is_whitespace() || "<>*{},$".contains(c));
        let is_named = !quoted.contains("NAME") && !quoted.contains("NUMBER");
        let from_root = FOLDERS.iter().any(|folder| quoted.starts_with(&format!("{folder}/")));
        is_path && is_named && (quoted.ends_with(".rs") || from_root)
    })
}

#[test]
fn what_the_documentation_points_to_exists() {
    let mut files = BTreeSet::new();
    for folder in FOLDERS {
        collect(Path::new(folder), &mut files);
    }
    let (mut missing, mut looked_at) = (Vec::new(), 0);
    for page in pages(&files) {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        let folder = root().join(Path::new(&page).parent().unwrap());
        for link in links(&text) {
            looked_at += 1;
            if !folder.join(link).exists() {
                missing.push(format!("{page}: the link to {link}"));
            }
        }
        // Blocks of code are indented, and hold commands.
        let prose: Vec<&str> = text.lines().filter(|line| !line.starts_with("    ")).collect();
        for source in sources(&prose.join("\n")) {
            looked_at += 1;
            let end = format!("/{source}");
            if !files.contains(source) && !files.iter().any(|file| file.ends_with(&end)) {
                missing.push(format!("{page}: {source}"));
            }
        }
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
    assert!(looked_at > 100, "only {looked_at} pointers were found");
}

/// The words of code in a source file, without its comments.
fn words(text: &str) -> BTreeSet<String> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_'));
    words.filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// The parts of what stands between backquotes, if it is meant as a name in the code: `Type`, `function_name`,
/// `CONSTANT_NAME`, `Type::function` or `macro!`. A word in lower case may be anything.
fn name(quoted: &str) -> Option<Vec<&str>> {
    let quoted = quoted.trim_end_matches("()").trim_end_matches('!');
    let parts: Vec<&str> = quoted.split("::").collect();
    let is_word = |part: &&str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let is_type = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase())
            && part.contains(|c: char| c.is_ascii_lowercase())
    };
    let is_name = parts.len() > 1 || quoted.contains('_') || is_type(quoted);
    // Our crates are named with `-` in their manifests.
    let is_ours = |part: &&str| !part.starts_with("umbra_") || parts.len() == 1;
    (is_name && parts.iter().all(is_word)).then(|| parts.iter().copied().filter(is_ours).collect())
}

#[test]
fn names_of_the_code_that_the_documentation_uses_exist() {
    let mut files = BTreeSet::new();
    for folder in FOLDERS {
        collect(Path::new(folder), &mut files);
    }
    let is_code = |file: &&String| {
        let is_page_test = file.ends_with("umbra-words/tests/docs.rs");
        !is_page_test && [".rs", ".c", ".h", ".toml"].iter().any(|end| file.ends_with(end))
    };
    let code: Vec<BTreeSet<String>> = files
        .iter()
        .filter(is_code)
        .filter_map(|file| Some(words(&fs::read_to_string(root().join(file)).ok()?)))
        .collect();
    let exists =
        |parts: &[&str]| code.iter().any(|words| parts.iter().all(|part| words.contains(*part)));
    let (mut missing, mut looked_at) = (Vec::new(), 0);
    let about_code = |page: &String| {
        page.starts_with("docs/internals/") || !page.starts_with("docs/") && page != "README.md"
    };
    for page in pages(&files).into_iter().filter(about_code) {
        let text = fs::read_to_string(root().join(&page)).unwrap();
        for parts in text.split('`').skip(1).step_by(2).filter_map(name) {
            looked_at += 1;
            if !exists(&parts) {
                missing.push(format!("{page}: {}", parts.join("::")));
            }
        }
    }
    assert!(missing.is_empty(), "missing: {missing:#?}");
    assert!(looked_at > 150, "only {looked_at} names were found");
}

#[test]
fn names_are_told_from_other_words() {
    assert_eq!(name("Worker::follow"), Some(vec!["Worker", "follow"]));
    assert_eq!(name("umbra_words::Version"), Some(vec!["Version"]));
    assert_eq!(name("define_rules!"), Some(vec!["define_rules"]));
    assert_eq!(name("explain()"), None);
    assert_eq!(name("MAX_SIDES"), Some(vec!["MAX_SIDES"]));
    for other in ["cut", "--max-sides", "umbra-jobs", "PATH", "1 2", "step/run.rs", "a == b"] {
        assert_eq!(name(other), None, "{other}");
    }
}
