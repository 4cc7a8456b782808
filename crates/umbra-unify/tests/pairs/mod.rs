//! Reads files of pairs (`tests/unify`): two versions in one text, with marks between what is whose. The suites of
//! testkit read them with this file, too.

/// A version of a file of pairs: what is in both, and what is in this one.
pub fn version(text: &str, wanted: &str) -> String {
    let mut section = "both";
    let mut out = String::new();
    for line in text.lines() {
        match line.trim().strip_prefix("//- ") {
            Some(name) => section = name,
            None if section == "both" || section == wanted => {
                out += line;
                out.push('\n');
            }
            None => {}
        }
    }
    out
}

#[test]
fn a_version_has_what_is_its_own_and_what_is_in_both() {
    let text = "a\n//- old\nb\n//- new\nc\n//- both\nd\n";
    assert_eq!(
        (version(text, "old"), version(text, "new")),
        ("a\nb\nd\n".into(), "a\nc\nd\n".into())
    );
}
