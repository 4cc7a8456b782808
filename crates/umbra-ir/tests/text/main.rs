//! The text form: what it accepts beyond what it prints, its errors, and its patience.

use std::fs;
use std::path::Path;

use umbra_ir::{Program, parse};

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

#[test]
fn errors() {
    let text = fs::read_to_string(folder().join("text/errors.txt")).unwrap();
    let mut program = String::new();
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_prefix("=> ") {
            None => {
                program += line;
                program.push('\n');
            }
            Some(expected) => {
                let error = parse(program.trim_start()).expect_err(&program);
                assert_eq!(error.to_string(), expected, "{program}");
                program.clear();
                count += 1;
            }
        }
    }
    assert!(count > 20);
}

/// What a person may leave out.
#[test]
fn short_forms() {
    let program = parse(
        "g0 @x: 8 align 8 = zero ; a comment\n\
         fn0 @f(r0: i32) -> i128 { bb0: r1: i32 = add r0, i32 0xff store r1, ptr g0+4 return i128 -2 }",
    )
    .unwrap();
    assert_eq!(
        program.to_string(),
        "g0 @x: 8 align 8 = zero\n\
         fn0 @f(r0: i32) -> i128 {\n\
         bb0 weight 3:\n  r1: i32 = add r0, i32 255\n  store r1, ptr g0@x+4\n  \
         return i128 0xfffffffffffffffffffffffffffffffe\n}\n\
         c0 i32 255\nc1 ptr g0@x+4\nc2 i128 0xfffffffffffffffffffffffffffffffe\n"
    );
    assert_eq!(parse(""), Ok(Program::default()));
}

/// Two versions in one program: the text prints as it is written, and survives the binary form.
#[test]
fn two_versions() {
    let text = fs::read_to_string(folder().join("text/versions.ir")).unwrap();
    let program = parse(&text).unwrap();
    let (_comment, written) = text.split_once('\n').unwrap();
    assert_eq!(program.to_string(), written);
    assert_eq!(umbra_ir::decode(&umbra_ir::encode(&program)).as_ref(), Ok(&program));
    assert!(program.has_two_versions());
}

/// Damaged texts are errors or other programs, never a panic.
#[test]
fn damaged_texts() {
    let mut numbers = fastrand::Rng::with_seed(1);
    let mut random = |bound: usize| numbers.usize(..bound);
    for name in ["initializers", "split", "names", "varargs", "unsupported", "versions"] {
        let path = match name {
            "versions" => folder().join("text/versions.ir"),
            name => folder().join("cases").join(name).with_extension("expected"),
        };
        let text = fs::read_to_string(path).unwrap();
        assert!(parse(&text).is_ok());
        for _ in 0..200 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=random(3) {
                let (at, from) = (random(bytes.len()), random(bytes.len()));
                match random(4) {
                    0 => bytes[at] = b" r0@\"\\({})-:!9gxz\n"[random(18)],
                    1 if bytes.len() > 1 => drop(bytes.remove(at)),
                    2 => bytes.truncate(at.max(1)),
                    _ => bytes[at] = bytes[from],
                }
            }
            if let Ok(program) = parse(&String::from_utf8_lossy(&bytes)) {
                assert_eq!(parse(&program.to_string()), Ok(program));
            }
        }
    }
}
