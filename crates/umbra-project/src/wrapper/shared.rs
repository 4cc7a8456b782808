//! Shared libraries of a project, which programs link as if they were static.
//!
//! Programs for analysis are static, so a library that is loaded at run time is of no use to them, and a link with
//! one fails. Therefore the file that `-shared` asks for is an archive here: of the objects, and of what
//! the archives and libraries hold that the link names, since a program that links a shared library does not name
//! what that needs in turn. The linker takes it wherever it is named by its path; `-lNAME` leads to it
//! where there is no static library of this name.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use crate::{Error, Toolchain};

/// The libraries that belong to the libc, which no archive has to hold.
const OF_THE_LIBC: [&str; 9] = ["c", "m", "pthread", "rt", "dl", "util", "crypt", "resolv", "xnet"];

/// A shared library to be made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedLink {
    /// Clang's arguments for each source among the inputs, without the output.
    pub sources: Vec<Vec<OsString>>,
    /// Objects and archives.
    pub objects: Vec<PathBuf>,
    /// The file to write.
    pub output: PathBuf,
}

/// Makes the archive that stands for a shared library.
pub fn link_shared(toolchain: &Toolchain, link: &SharedLink) -> Result<ExitStatus, Error> {
    let output = &link.output;
    let scratch = tempfile::tempdir().map_err(Error::io("make a folder for", output))?;
    let mut objects = Vec::new();
    for (number, source) in link.sources.iter().enumerate() {
        let object = scratch.path().join(format!("{number}.o"));
        let clang = &toolchain.tools.clang;
        let mut command = Command::new(clang);
        let status = command.args(source).arg("-o").arg(&object).status();
        let status = status.map_err(Error::start(clang))?;
        if !status.success() {
            return Ok(status);
        }
        objects.push(object);
    }
    // An archive is added to, if there is one.
    let archive = scratch.path().join("archive");
    let ar = &toolchain.tools.ar;
    let mut command = Command::new(ar);
    // L: of an archive what it holds.
    command.arg("qcsL").arg(&archive).args(&objects).args(&link.objects);
    let status = command.status().map_err(Error::start(ar))?;
    if status.success() {
        if let Err(error) = fs::remove_file(output)
            && error.kind() != std::io::ErrorKind::NotFound
        {
            return Err(Error::io("remove", output)(error));
        }
        fs::copy(&archive, output).map_err(Error::io("write", output))?;
    }
    Ok(status)
}

/// The arguments of a link in which `-lNAME` names the archive that stands for a shared library, where there is one and no
/// static library. `folders` are those that no option names.
pub(super) fn by_path(args: Vec<OsString>, folders: &[PathBuf]) -> Vec<OsString> {
    let mut found = Vec::with_capacity(args.len());
    let folders = all_folders(&args, folders);
    let mut words = args.into_iter();
    while let Some(word) = words.next() {
        let (option, value) = word.as_bytes().split_at(word.len().min(2));
        if option != b"-l" {
            found.push(word);
            continue;
        }
        let next = if value.is_empty() { words.next() } else { None };
        let name = next.as_deref().unwrap_or(OsStr::from_bytes(value));
        match library(name, &folders) {
            Some(Library::Shared(path)) => found.push(path.into()),
            _ => {
                found.push(word.clone());
                found.extend(next);
            }
        }
    }
    found
}

/// The archives that a link names by `-lNAME`, but for those of the libc.
pub(super) fn archives(args: &[OsString], folders: &[PathBuf]) -> Vec<PathBuf> {
    let folders = all_folders(args, folders);
    let mut found = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.as_bytes().split_at(word.len().min(2));
        if option != b"-l" {
            continue;
        }
        let value = match value {
            [] => words.next().map_or(&b""[..], |next| next.as_bytes()),
            value => value,
        };
        if OF_THE_LIBC.iter().any(|name| name.as_bytes() == value) {
            continue;
        }
        match library(OsStr::from_bytes(value), &folders) {
            Some(Library::Static(path) | Library::Shared(path)) => found.push(path),
            None => {}
        }
    }
    found
}

/// Whether a file is an archive.
pub(super) fn is_archive(path: &Path) -> bool {
    let mut magic = [0; 8];
    fs::File::open(path).is_ok_and(|mut file| file.read_exact(&mut magic).is_ok())
        && (magic == *b"!<arch>\n" || magic == *b"!<thin>\n")
}

/// What `-lNAME` leads to.
enum Library {
    Static(PathBuf),
    Shared(PathBuf),
}

fn library(name: &OsStr, folders: &[PathBuf]) -> Option<Library> {
    let file = |start: &str, end: &str| {
        let mut file = OsString::from(start);
        file.push(name);
        file.push(end);
        file
    };
    // The first folder that has either.
    folders.iter().find_map(|folder| {
        let (fixed, shared) = (folder.join(file("lib", ".a")), folder.join(file("lib", ".so")));
        match (fixed.exists(), is_archive(&shared)) {
            (true, _) => Some(Library::Static(fixed)),
            (false, true) => Some(Library::Shared(shared)),
            (false, false) => None,
        }
    })
}

/// The folders in which a link looks for libraries: those that it names, then the others.
fn all_folders(args: &[OsString], others: &[PathBuf]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    let mut words = args.iter();
    while let Some(word) = words.next() {
        let (option, value) = word.as_bytes().split_at(word.len().min(2));
        if option == b"-L" {
            let value = match value {
                [] => words.next().map_or(&b""[..], |next| next.as_bytes()),
                value => value,
            };
            folders.push(PathBuf::from(OsStr::from_bytes(value)));
        }
    }
    folders.extend_from_slice(others);
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(line: &str) -> Vec<OsString> {
        line.split_whitespace().map(OsString::from).collect()
    }

    #[test]
    fn a_library_that_is_shared_only_is_named_by_its_path() {
        let dir = tempfile::tempdir().unwrap();
        let folder = |name: &str, files: &[(&str, &str)]| {
            let path = dir.path().join(name);
            fs::create_dir(&path).unwrap();
            for (file, text) in files {
                fs::write(path.join(file), text).unwrap();
            }
            path.display().to_string()
        };
        let archive = "!<arch>\n";
        let named = folder("named", &[("libone.so", archive), ("libelf.so", "\x7fELF")]);
        let other = folder("other", &[("libtwo.so", archive), ("libtwo.a", archive)]);
        let folders = [PathBuf::from(&other)];
        let line = format!("a.o -L{named} -lone -l two -lelf -lm -o a");
        assert_eq!(
            by_path(words(&line), &folders),
            words(&format!("a.o -L{named} {named}/libone.so -l two -lelf -lm -o a"))
        );
        assert_eq!(
            archives(&words(&format!("-L {named} -l one -ltwo -lm -lc")), &folders),
            [format!("{named}/libone.so"), format!("{other}/libtwo.a")].map(PathBuf::from)
        );
    }
}
