//! `umbra diff`: near a test, and on all paths.

use serde_json::Value;

use crate::support::{Dir, UMBRA};

/// After the running example of the SHADOW papers: the new check lets zero through to an index
/// that is one less, and a subtraction wraps at the smallest number.
const TOY: &str = r#"
#include <umbra.h>
static const int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };
int main(void) {
  int x;
  umbra_symbolic(&x, sizeof x, "x");
  int bound = change(x, x - 1);
  if (bound > 15)
    return 1;
  if (change(x >= 1, x >= 0))
    return table[x - 1] > 4;
  return 2;
}
"#;

/// After the example of complete shadow symbolic execution: on x = -1 the versions part at once, and
/// the new one does not come to the assertion, which fails on x = 0.
const HIDDEN: &str = r#"
#include <assert.h>
#include <umbra.h>
int main(void) {
  int x;
  umbra_symbolic(&x, sizeof x, "x");
  umbra_assume(x > -1000 && x < 1000);
  int y = x < 0 ? -x : 2 * x;
  y = change(y, y + 1);
  if (y > 1)
    return 0;
  assert(y != 1);
  return 1;
}
"#;

/// Two ways to the same number.
const EQUIVALENT: &str = r#"
#include <umbra.h>
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  int c = argv[1][0];
  return change(c * 2, c + c) > 130;
}
"#;

/// Many paths, on few of which there is something to compare.
const BESIDE: &str = r#"
#include <umbra.h>
__attribute__((noinline)) static int bits(unsigned char c) {
  int count = 0;
  for (int i = 0; i < 8; i++)
    if (c >> i & 1)
      count++;
  return count;
}
int main(int argc, char **argv) {
  if (argc < 2)
    return 0;
  unsigned char c = argv[1][0];
  if (c != 'x')
    return bits(c);
  return change(c * 2, c + c) > 130;
}
"#;

/// A second return of `setjmp` leads to the change, which is not seen from where it is jumped from.
const JUMPS: &str = r#"
#include <setjmp.h>
#include <umbra.h>
static jmp_buf place;
int main(int argc, char **argv) {
  if (setjmp(place))
    return change(1, 2);
  longjmp(place, 1);
}
"#;

/// The last line of the output as an object, and the exit code.
pub fn diff(dir: &Dir, flags: &str) -> (Value, i32) {
    let output = dir.shell(&format!("rm -rf out && {UMBRA} diff --json --output out {flags}"));
    let text = String::from_utf8_lossy(&output.stdout);
    let report = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().last().unwrap_or_else(|| panic!("no output: {report}"));
    let object = serde_json::from_str(last).unwrap_or_else(|_| panic!("{last}\n{report}"));
    (object, output.status.code().expect("it exits"))
}

/// The lines of divergences of a kind and class.
fn lines(object: &Value, kind: &str, class: &str) -> Vec<u64> {
    let divergences = object["divergences"].as_array().expect("a list").iter();
    let wanted = divergences.filter(|line| line["kind"] == kind && line["class"] == class);
    wanted.filter_map(|line| line["line"].as_u64()).collect()
}

/// The values of x in the test cases.
fn inputs(dir: &Dir) -> Vec<i32> {
    let text = dir.ok("cat out/cases/*/case.json");
    let hex = text.lines().filter_map(|line| line.trim().strip_prefix("\"hex\": \""));
    let number = |digits: &str| u32::from_str_radix(&digits[..8], 16).expect("eight digits");
    hex.map(|digits| number(digits).swap_bytes().cast_signed()).collect()
}

#[test]
fn a_fault_is_found_from_tests_that_do_not_show_it() {
    let dir = Dir::new();
    dir.write("toy.c", TOY);
    dir.cc("-g -w toy.c -o toy");
    for seed in ["00000000", "09000000", "0f000000"] {
        let (object, code) = diff(&dir, &format!("--object x={seed} toy"));
        assert_eq!(code, 1, "{object}");
        assert!(!lines(&object, "control", "regression").is_empty(), "from {seed}: {object}");
        assert!(inputs(&dir).contains(&0), "from {seed}: {:?}", inputs(&dir));
        assert_eq!(object["complete"], false);
    }
    let (object, _) = diff(&dir, "--complete --tests-per-place 9 toy");
    assert_eq!(object["complete"], true, "{object}");
    assert!(inputs(&dir).contains(&i32::MIN), "{:?}", inputs(&dir));
}

#[test]
fn test_cases_are_tests_to_start_from() {
    let dir = Dir::new();
    dir.write("toy.c", TOY);
    dir.cc("-g -w toy.c -o toy");
    dir.shell(&format!("{UMBRA} run --quiet --output plain toy"));
    let cases = dir.ok("ls -d plain/cases/*");
    let flags: Vec<String> = cases.lines().map(|case| format!("--case {case}")).collect();
    let (object, code) = diff(&dir, &format!("{} toy", flags.join(" ")));
    assert_eq!(code, 1, "{object}");
    assert!(!lines(&object, "control", "regression").is_empty(), "{object}");
    let changes = object["changes"].as_array().expect("a list");
    let reached = changes.iter().filter(|change| change["tests"][0].is_string());
    assert_eq!(reached.count(), 2, "{object}");
    let output = dir.shell(&format!("{UMBRA} diff {} toy 3", flags[0]));
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(report.contains("--case: the arguments are those of the test case"), "{report}");
}

#[test]
fn what_is_not_near_a_test_is_found_around_it_and_on_all_paths() {
    let dir = Dir::new();
    dir.write("hidden.c", HIDDEN);
    dir.cc("-g -w hidden.c -o hidden");
    let (near, _) = diff(&dir, "--max-around-instructions 0 --object x=ffffffff hidden");
    assert_eq!(near["divergences"][0]["phase"], "seed", "{near}");
    assert!(lines(&near, "control", "regression").is_empty(), "{near}");
    // Both versions ask whether the number is negative, and neither change does.
    let (around, _) = diff(&dir, "--object x=ffffffff hidden");
    assert_eq!(lines(&around, "control", "regression").len(), 1, "{around}");
    let (all, code) = diff(&dir, "--complete --tests-per-place 9 hidden");
    assert_eq!((code, &all["complete"]), (1, &Value::Bool(true)), "{all}");
    assert_eq!(all["paths"]["diff"], 2, "{all}");
    let mut found = inputs(&dir);
    found.sort_unstable();
    assert_eq!(found, [-1, 0]);
    assert_eq!(lines(&all, "control", "regression").len(), 1, "{all}");
}

#[test]
fn equivalence_is_said_with_its_bounds() {
    let dir = Dir::new();
    dir.write("equivalent.c", EQUIVALENT);
    let command = format!("{UMBRA} diff --complete --sym args=0..1x2 equivalent.c");
    let text = dir.ok(&command);
    assert!(text.contains("equivalent on all inputs within these bounds"), "{text}");
    assert!(text.contains("0 to 1 arguments of at most 2 bytes"), "{text}");
    let (object, code) = diff(&dir, "--complete --sym args=0..1x2 equivalent.c");
    assert_eq!((code, &object["equivalent"]), (0, &Value::Bool(true)));
    let (cut, code) = diff(
        &dir,
        "--complete --require-complete --max-instructions 100 --sym args=0..1x2 equivalent.c",
    );
    assert_eq!((code, &cut["equivalent"]), (3, &Value::Bool(false)), "{cut}");
}

#[test]
fn what_is_pruned_is_proved_equal() {
    let dir = Dir::new();
    dir.write("beside.c", BESIDE);
    dir.cc("-g -w beside.c -o beside");
    let flags = "--complete --sym args=0..1x1 beside";
    let (all, _) = diff(&dir, flags);
    let (few, code) = diff(&dir, &format!("--prune {flags}"));
    let same = |object: &Value| object["paths"]["same"].as_u64().expect("a number");
    assert_eq!((code, &few["complete"]), (0, &Value::Bool(true)), "{few}");
    assert_eq!((&few["equivalent"], &all["equivalent"]), (&Value::Bool(true), &Value::Bool(true)));
    assert!(same(&all) > 100 && same(&few) < 20, "{all}\n{few}");
    assert_eq!((&all["pruned"], few["pruned"].as_u64() > Some(0)), (&Value::from(0), true));
    let text = dir.ok(&format!("{UMBRA} diff --prune {flags}"));
    assert!(text.contains("(nothing differs there, and no change can be reached)"), "{text}");
}

#[test]
fn nothing_is_pruned_where_a_change_cannot_be_seen_from() {
    let dir = Dir::new();
    dir.write("jumps.c", JUMPS);
    dir.cc("-g -w jumps.c -o jumps");
    let output = dir.shell(&format!("{UMBRA} diff --complete --prune jumps"));
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{report}");
    assert!(
        report.contains("run it without") && report.contains("`main` calls setjmp"),
        "{report}"
    );
}

#[test]
fn a_program_without_changes_is_refused() {
    let dir = Dir::new();
    dir.write("plain.c", "int main(void) { return 0; }\n");
    let output = dir.shell(&format!("{UMBRA} diff --complete plain.c"));
    assert_eq!(output.status.code(), Some(2));
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(report.contains("no annotated change"), "{report}");
}
