//! Libraries that a link asks for and that are nowhere.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::Missing;
use crate::deps;

/// The libraries of a link's arguments that are neither in the folders that it names nor in `folders`.
pub(super) fn missing(args: &[OsString], mut folders: Vec<PathBuf>) -> Vec<Missing> {
    let mut links = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.as_bytes().split_at(word.len().min(2));
        let value = match value {
            [] => words.clone().next().map(|next| next.as_bytes()),
            value => Some(value),
        };
        let Some(value) = value.and_then(|value| str::from_utf8(value).ok()) else { continue };
        match option {
            b"-L" => folders.push(value.into()),
            b"-l" => links.push(value),
            _ => {}
        }
    }
    let is_there = |link: &str| {
        let has = |folder: &PathBuf, end: &str| folder.join(format!("lib{link}{end}")).exists();
        link.starts_with(':') || folders.iter().any(|at| has(at, ".a") || has(at, ".so"))
    };
    let mut missing: Vec<Missing> = Vec::new();
    for link in links.into_iter().filter(|link| !is_there(link)) {
        let one = match deps::of_link(link) {
            Some(library) => Missing::Library(library.name),
            None => Missing::Unknown(format!("the library -l{link}")),
        };
        if !missing.contains(&one) {
            missing.push(one);
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_nowhere_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str, file: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            std::fs::write(path.join(file), "").unwrap();
            path
        };
        let (named, known) = (folder("named", "libone.a"), folder("known", "libm.a"));
        let line = format!(
            "a.o -L{} -lone -l m -lz -lcurses -lncursesw -l:x.a -lother -o x",
            named.display()
        );
        let args: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let expected = [
            Missing::Library("zlib"),
            Missing::Library("ncurses"),
            Missing::Unknown("the library -lother".into()),
        ];
        assert_eq!(missing(&args, vec![known]), expected);
    }
}
