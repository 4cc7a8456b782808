//! What the documentation points to exists: links lead to files, and source files that are named
//! are there.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDERS: [&str; 6] = ["benches", "crates", "docs", "examples", "scripts", "tests"];

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
