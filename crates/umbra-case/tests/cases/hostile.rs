//! Folders that are damaged, or made to do harm.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use umbra_case::{Case, Entry, Error, InvalidCase, Stdin};

use crate::generator;

fn read(prepare: impl Fn(&Path)) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case");
    let case = Case {
        program: b"p".to_vec(),
        stdin: Stdin::Pipe(b"in".to_vec()),
        tree: vec![Entry::file("d/x", "x")],
        ..Case::default()
    };
    case.write(&path).unwrap();
    fs::write(folder.path().join("secret"), "secret").unwrap();
    prepare(&path);
    Case::read(&path).unwrap_err()
}

/// Replaces a part of `case.json`.
fn edit(path: &Path, old: &str, new: &str) {
    let file = path.join("case.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(file, text.replace(old, new)).unwrap();
}

#[test]
fn no_path_leads_out_of_the_folder() {
    let error = read(|path| edit(path, "d/x", "../../secret"));
    assert!(
        matches!(&error, Error::Invalid { source: InvalidCase::Path { path }, .. }
            if path == "files/../../secret"),
        "{error}"
    );
    for (link, name) in [("files/d/x", "x"), ("stdin", "stdin")] {
        let error = read(|path| {
            fs::remove_file(path.join(link)).unwrap();
            symlink("../secret", path.join(link)).unwrap();
        });
        assert!(matches!(&error, Error::NotAFile { path } if path.ends_with(name)), "{error}");
    }
    let error = read(|path| {
        fs::rename(path.join("files/d"), path.join("real")).unwrap();
        symlink("../real", path.join("files/d")).unwrap();
    });
    assert!(error.to_string().contains("files/d/x"), "{error}");
}

#[test]
fn pipes_and_folders_in_place_of_files_are_refused() {
    let error = read(|path| {
        fs::remove_file(path.join("stdin")).unwrap();
        fs::create_dir(path.join("stdin")).unwrap();
    });
    assert!(matches!(error, Error::NotAFile { .. }), "{error}");
    let error = read(|path| {
        fs::remove_file(path.join("stdin")).unwrap();
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        let kind = rustix::fs::FileType::Fifo;
        rustix::fs::mknodat(rustix::fs::CWD, path.join("stdin"), kind, mode, 0).unwrap();
    });
    assert!(matches!(error, Error::NotAFile { .. }), "{error}");
}

#[test]
fn errors_name_the_file_and_the_reason() {
    for (old, new, expected) in [
        ("umbra/case/1", "umbra/case/9", "case.json has the schema `umbra/case/9`"),
        ("\"pipe\"", "\"socket\"", "case.json is not a test case: unknown variant `socket`"),
        ("\"p\"", "7", "expected a string or {\"hex\": \"...\"} at line 3"),
        ("\"p\"", "{\"hex\": \"0\"}", "not a hexadecimal string at line 3"),
        ("\"p\"", "{\"hex\": \"zz\"}", "not a hexadecimal string at line 3"),
        ("\"p\"", "{}", "missing field `hex` at line 3"),
        ("\"kind\"", "\"mode\": \"8\", \"kind\"", "not an octal number"),
        ("\"kind\"", "\"modified\": \"now\", \"kind\"", "not a number of seconds"),
        ("\"stdin\"", "\"limits\": {\"luck\": 1}, \"stdin\"", "not a resource"),
        ("\"stdin\"", "\"umask\": \"7777\", \"stdin\"", "7777 is not a mode"),
        ("\"d/x\"", "\"missing\"", "files/missing: No such file"),
    ] {
        let error = read(|path| edit(path, old, new)).to_string();
        assert!(error.contains(expected), "{error}");
    }
}

#[test]
fn damaged_json_is_an_error_or_another_case() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("case");
    generator::case(7).write(&path).unwrap();
    let file = path.join("case.json");
    let whole = fs::read(&file).unwrap();
    for length in 0..whole.trim_ascii_end().len() {
        fs::write(&file, &whole[..length]).unwrap();
        assert!(matches!(Case::read(&path), Err(Error::Json { .. })), "{length} bytes");
    }
    let mut refused = 0;
    for index in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[index] ^= 1 << (index % 8);
        fs::write(&file, damaged).unwrap();
        refused += usize::from(Case::read(&path).is_err());
    }
    assert!(refused > whole.len() / 4, "{refused} of {}", whole.len());
}
