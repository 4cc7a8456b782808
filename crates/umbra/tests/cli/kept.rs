//! The command on what earlier versions wrote (`tests/kept`).

use crate::support::{Dir, UMBRA};

const KEPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/kept");

#[test]
fn stores_and_runs_are_listed_and_shown() {
    let dir = Dir::new();
    let listed = |name: &str| -> Vec<String> {
        let lines = dir.ok(&format!("{UMBRA} case list {KEPT}/{name}"));
        lines.lines().map(|line| line.split(' ').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(listed("recordings").len(), 5);
    let run = ["19e87c72bdd1", "654538400eda", "e6b17ea23fa5", "bad83d78d7fd"];
    assert_eq!(listed("run"), run);
    let text = dir.ok(&format!("{UMBRA} case show {KEPT}/recordings/1ffefc584fdf"));
    assert!(text.contains("expected   signal 6\n"), "{text}");
    let text = dir.ok(&format!("{UMBRA} case show {KEPT}/everything"));
    assert!(text.contains("expected   out-of-bounds-write at src/it.c:12\n"), "{text}");
}

/// A recording runs natively, on an executable of today, as it did.
#[test]
fn recordings_run() {
    let dir = Dir::new();
    dir.write(
        "show.c",
        r#"
        #include <stdio.h>
        #include <stdlib.h>
        int main(int argc, char **argv) {
            FILE *file = argc > 1 ? fopen(argv[1], "r") : stdin;
            if (!file) return 7;
            for (int c; (c = getc(file)) != EOF;) {
                if (c == '!') abort();
                putchar(c);
            }
            return 0;
        }"#,
    );
    dir.ok("cc show.c -o show");
    let output = dir.shell(&format!("{UMBRA} replay --json --on show {KEPT}/recordings"));
    let text = String::from_utf8(output.stdout).unwrap();
    let object: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!((&object["cases"], &object["unlike_prediction"]), (&5.into(), &0.into()), "{text}");
}
