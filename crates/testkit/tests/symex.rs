//! The claims of the corpus in `tests/symex`, checked natively with sanitizers.
//!
//! `UMBRA_SYMEX` names a program (a part of its path). They need clang 19 only.

use std::path::{Path, PathBuf};

use testkit::symex::directives::Directives;
use testkit::symex::native::Sanitizer;
use testkit::symex::suite::{check_all, check_bug, check_domain, check_feature, programs};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/symex").join(name)
}

fn filter() -> String {
    std::env::var("UMBRA_SYMEX").unwrap_or_default()
}

#[test]
fn planted_bugs_have_their_triggers() {
    check_all(&folder("bugs"), &filter(), check_bug).unwrap();
}

#[test]
fn enumerable_programs_run_clean() {
    check_all(&folder("exhaustive"), &filter(), check_domain).unwrap();
}

#[test]
fn features_run_as_they_say() {
    check_all(&folder("features"), &filter(), check_feature).unwrap();
}

#[test]
fn functions_run_as_they_say() {
    check_all(&folder("functions"), &filter(), check_feature).unwrap();
}

/// The corpus must not shrink unnoticed, and every kind of error is in it.
#[test]
fn the_corpus_is_large_enough() {
    for (name, least) in [("bugs", 44), ("exhaustive", 30), ("features", 20)] {
        let count = programs(&folder(name)).unwrap().len();
        assert!(count >= least, "{name} has {count} programs");
    }
    let texts = programs(&folder("bugs")).unwrap();
    let texts = texts.iter().map(|path| std::fs::read_to_string(path).unwrap());
    let marks: Vec<_> = texts.flat_map(|text| Directives::parse(&text).unwrap().marks).collect();
    // Reading what was never written is an error on demand only; what a program reports itself is
    // marked as the abort that it is natively.
    // What the compiler's checks find is in tests/klee, and so are assumptions that nothing meets.
    let without = [
        "uninitialised-read",
        "trap",
        "reported-error",
        "integer-overflow",
        "shift-too-far",
        "undefined-behaviour",
        "invalid-assumption",
    ];
    for kind in umbra_engine::ErrorKind::ALL.iter().map(|kind| kind.name()) {
        let count = marks.iter().filter(|mark| mark.kind == kind).count();
        assert!(count >= 1 || without.contains(&kind), "no bug is a {kind}");
    }
}

/// What the check of a planted bug says of this program.
fn verdict(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let source = folder.path().join("t.c");
    std::fs::write(&source, text).unwrap();
    match check_bug(&Sanitizer::new().unwrap(), &source).unwrap() {
        Ok(()) => "fine".to_owned(),
        Err(wrong) => wrong,
    }
}

#[test]
fn wrong_claims_are_refused() {
    let program = |trigger: u8, benign: u8, first: &str, second: &str| {
        format!(
            "//@ trigger: x=u8:{trigger}\n//@ benign: x=u8:{benign}\n\
             #include <klee/klee.h>\n#include <stdlib.h>\nint main(void) {{\n\
             unsigned char x;\nklee_make_symbolic(&x, 1, \"x\"); {first}\n\
             if (x == 3) abort(); {second}\nreturn 0;\n}}\n"
        )
    };
    assert_eq!(verdict(&program(3, 4, "", "//~ abort")), "fine");
    let line = verdict(&program(3, 4, "//~ abort", ""));
    assert!(line.contains("the error is in line Some(8), not in 7"), "{line}");
    let kind = verdict(&program(3, 4, "", "//~ division-by-zero"));
    assert!(kind.contains("`division by zero` is not in the report"), "{kind}");
    let trigger = verdict(&program(4, 4, "", "//~ abort"));
    assert!(trigger.contains("is not in the report"), "{trigger}");
    let benign = verdict(&program(3, 3, "", "//~ abort"));
    assert!(benign.contains("the benign input"), "{benign}");
    assert_eq!(verdict(&program(3, 4, "", "")), "0 marks instead of one");
    let fit = program(3, 4, "", "//~ abort").replace("benign: x", "benign: y");
    assert!(verdict(&fit).contains("98"), "{}", verdict(&fit));
}
