//! The findings of the sample: one of each sort, what matters most first.

use umbra_words::{Class, Kind, Phase, Place, Version};

use super::{AVERAGE, HOSTILE, TABLE};
use crate::{Behaviour, CheckFinding, DifferenceLine, Excerpt, InputPart, Piece, Stream};

pub(super) fn findings() -> Vec<CheckFinding> {
    vec![crash(), by_suite(), unconfirmed(), accepted(), fix(), hostile(), flaky(), same()]
}

fn place(file: &str, line: u32) -> Place {
    Place { file: file.to_owned(), line }
}

fn stream(text: &str) -> Stream {
    Stream { text: text.to_owned(), bytes: text.len() as u64, cut: false }
}

/// A version that exits.
fn exits(status: u8, stdout: &str, stderr: &str) -> Behaviour {
    Behaviour {
        end: format!("exit status {status}"),
        status: Some(status),
        stdout: stream(stdout),
        stderr: stream(stderr),
        error: None,
    }
}

fn input(name: &str, pieces: &[(&str, bool)]) -> InputPart {
    let piece =
        |(text, changed): &(&str, bool)| Piece { text: (*text).to_owned(), changed: *changed };
    InputPart { name: name.to_owned(), pieces: pieces.iter().map(piece).collect(), cut: false }
}

/// What runs a case on both versions.
fn replay(number: u32) -> String {
    let folder = ".umbra/checks/0007";
    let versions = ["old", "new"].map(|version| format!("--on {folder}/{version}/program"));
    format!("umbra replay {folder}/cases/{number:06} {}", versions.join(" "))
}

fn strings(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}

/// The guard is gone: the engine found the empty list.
fn crash() -> CheckFinding {
    let killed = Behaviour {
        end: "killed by signal 8 (SIGFPE)".to_owned(),
        status: Some(136),
        stdout: stream("average of 0 values\n"),
        error: Some("division by zero at src/average.c:13".to_owned()),
        ..Behaviour::default()
    };
    CheckFinding {
        id: "9a7c31d04be2".to_owned(),
        class: Class::Regression,
        verdict: "tools/average is killed by SIGFPE on an empty list, where it printed 0"
            .to_owned(),
        program: "tools/average".to_owned(),
        confirmed: true,
        place: Some(place(AVERAGE, 13)),
        version: Version::New,
        changes: vec![place(AVERAGE, 11), place(AVERAGE, 13)],
        excerpt: Some(Excerpt {
            file: AVERAGE.to_owned(),
            version: Version::New,
            first: 10,
            lines: strings(&[
                "  long sum = 0;",
                "  for (int i = 0; i < count; i++)",
                "    sum += values[i];",
                "  return sum / count;",
                "}",
            ]),
            marked: 13,
            columns: Some((9, 20)),
        }),
        path: strings(&[
            "main reads the list at src/average.c:41",
            "the loop at src/average.c:11 ends at once: count is 0",
            "average divides by count at src/average.c:13",
        ]),
        stack: strings(&["average at src/average.c:13", "main at src/average.c:44"]),
        kind: Some(Kind::Control),
        phase: Some(Phase::Concolic),
        shell: Some("printf '1 2 3\\n\\000\\n' | ./tools/average --values=".to_owned()),
        command: replay(1),
        case: "cases/000001".to_owned(),
        input: vec![
            input("argument 1", &[("--", false), ("values", false), ("=", true)]),
            input("standard input", &[("1 2 3\n", false), ("\\x00", true), ("\n", false)]),
        ],
        seed: Some("tests/three.sh".to_owned()),
        old: exits(0, "average of 0 values\n0\n", ""),
        new: killed.clone(),
        also: vec![
            ("v1.4".to_owned(), exits(0, "average of 0 values\n0\n", "")),
            ("next".to_owned(), killed),
        ],
        cases: 3,
        input_bytes: 14,
        seconds: 66.5,
        ..CheckFinding::default()
    }
}

/// A test of the suite shows that the table looks different.
fn by_suite() -> CheckFinding {
    CheckFinding {
        id: "c05512ffe8a1".to_owned(),
        class: Class::OutputDifference,
        verdict: "tools/table prints three digits and no colon".to_owned(),
        program: "tools/table".to_owned(),
        confirmed: true,
        by_suite: true,
        place: Some(place(TABLE, 44)),
        version: Version::New,
        changes: vec![place(TABLE, 44)],
        excerpt: Some(Excerpt {
            file: TABLE.to_owned(),
            version: Version::New,
            first: 42,
            lines: strings(&[
                "{",
                "  /* one row */",
                "  printf (\"%-8s %.3f\\n\", name, value);",
                "}",
            ]),
            marked: 44,
            columns: Some((10, 23)),
        }),
        command: replay(2),
        case: "cases/000002".to_owned(),
        input: vec![input("standard input", &[("apples 1.5\npears 2\n", false)])],
        seed: Some("tests/fruit.sh".to_owned()),
        old: exits(0, "name: value\napples: 1.50\npears: 2.00\ntotal: 3.50\n", ""),
        new: exits(0, "name: value\napples   1.500\npears    2.000\ntotal: 3.50\n", ""),
        differences: vec![DifferenceLine {
            channel: "tree".to_owned(),
            place: "table.log".to_owned(),
            old: "12 bytes".to_owned(),
            new: "missing".to_owned(),
        }],
        cases: 44,
        input_bytes: 19,
        seconds: 47.0,
        ..CheckFinding::default()
    }
}

/// The engine sees a read behind an array, which natively does no harm.
fn unconfirmed() -> CheckFinding {
    let mut new = exits(0, "2\n", "");
    new.error = Some("out-of-bounds read of 4 bytes at src/average.c:12".to_owned());
    CheckFinding {
        id: "77d1e6a90c3f".to_owned(),
        class: Class::Regression,
        verdict: "tools/average reads behind the end of values; native runs do not show it"
            .to_owned(),
        program: "tools/average".to_owned(),
        place: Some(place(AVERAGE, 12)),
        version: Version::New,
        changes: vec![place(AVERAGE, 11)],
        excerpt: Some(Excerpt {
            file: AVERAGE.to_owned(),
            version: Version::New,
            first: 11,
            lines: strings(&["  for (int i = 0; i < count; i++)", "\tsum += values[i];"]),
            marked: 12,
            columns: None,
        }),
        stack: strings(&["average at src/average.c:12", "main at src/average.c:44"]),
        kind: Some(Kind::Data),
        phase: Some(Phase::Bounded),
        command: replay(3),
        case: "cases/000003".to_owned(),
        seed: Some("tests/three.sh".to_owned()),
        old: exits(0, "2\n", ""),
        new,
        cases: 1,
        input_bytes: 9,
        seconds: 120.25,
        ..CheckFinding::default()
    }
}

/// Somebody has said that this is what the patch is for.
fn accepted() -> CheckFinding {
    CheckFinding {
        id: "1b2c3d4e5f60".to_owned(),
        class: Class::OutputDifference,
        verdict: "tools/table aligns the names".to_owned(),
        program: "tools/table".to_owned(),
        confirmed: true,
        accepted: true,
        by_suite: true,
        place: Some(place(TABLE, 44)),
        version: Version::New,
        changes: vec![place(TABLE, 44)],
        command: replay(4),
        case: "cases/000004".to_owned(),
        seed: Some("tests/align.sh".to_owned()),
        old: exits(0, "a: 1.00\n", ""),
        new: exits(0, "a        1.000\n", ""),
        cases: 2,
        input_bytes: 4,
        seconds: 47.5,
        ..CheckFinding::default()
    }
}

/// The old version failed here.
fn fix() -> CheckFinding {
    let mut old = exits(0, "", "table: stack smashing detected\n");
    old.end = "killed by signal 6 (SIGABRT)".to_owned();
    old.status = Some(134);
    CheckFinding {
        id: "60aa17be4d92".to_owned(),
        class: Class::Fix,
        verdict: "tools/table no longer aborts on a name of 64 bytes".to_owned(),
        program: "tools/table".to_owned(),
        confirmed: true,
        place: Some(place(TABLE, 43)),
        version: Version::Old,
        changes: vec![place(TABLE, 44)],
        kind: Some(Kind::Control),
        phase: Some(Phase::Around),
        command: replay(5),
        case: "cases/000005".to_owned(),
        seed: Some("tests/fruit.sh".to_owned()),
        old,
        new: exits(0, "ok\n", ""),
        cases: 1,
        input_bytes: 70,
        seconds: 99.0,
        ..CheckFinding::default()
    }
}

/// Everything that comes from outside is hostile.
fn hostile() -> CheckFinding {
    let long = format!("{HOSTILE}\n{}\nthe end", "0123456789 ".repeat(60));
    CheckFinding {
        id: "e3b0c44298fc".to_owned(),
        class: Class::OutputDifference,
        verdict: format!("tools/table prints {HOSTILE} for a negative value"),
        program: "tools/table".to_owned(),
        confirmed: true,
        place: Some(place(TABLE, 45)),
        version: Version::New,
        changes: vec![place(TABLE, 45)],
        excerpt: Some(Excerpt {
            file: TABLE.to_owned(),
            version: Version::New,
            first: 44,
            lines: strings(&[
                "  printf (\"%-8s %.3f\\n\", name, value);",
                "\tif (value < 0) puts (\"<i>größe</i> \u{1b}[31m & 日本\");",
                HOSTILE,
            ]),
            marked: 45,
            columns: Some((22, 54)),
        }),
        path: vec![format!("value is {HOSTILE}")],
        stack: vec![format!("print_row<{HOSTILE}> at {TABLE}:45")],
        kind: Some(Kind::Control),
        phase: Some(Phase::Concolic),
        shell: Some(format!("./tools/'it'\\''s <table>' '{HOSTILE}' </dev/null")),
        command: replay(6),
        case: "cases/000006".to_owned(),
        input: vec![InputPart {
            cut: true,
            ..input(HOSTILE, &[(HOSTILE, true), ("\\xff\n", false)])
        }],
        seed: Some(format!("tests/{HOSTILE}.sh")),
        old: Behaviour {
            stdout: Stream { text: long.clone(), bytes: 40_000, cut: true },
            ..exits(0, "", HOSTILE)
        },
        new: Behaviour {
            stdout: Stream { text: format!("{long}\n~~~\n```\n"), bytes: 40_012, cut: true },
            ..exits(0, "", "")
        },
        differences: vec![DifferenceLine {
            channel: "tree".to_owned(),
            place: HOSTILE.to_owned(),
            old: HOSTILE.to_owned(),
            new: "<&>".to_owned(),
        }],
        cases: 1,
        input_bytes: 88,
        seconds: 140.0,
        ..CheckFinding::default()
    }
}

/// The old version behaves differently from run to run.
fn flaky() -> CheckFinding {
    CheckFinding {
        id: "0f1e2d3c4b5a".to_owned(),
        class: Class::Flaky,
        verdict: "tools/table prints the time".to_owned(),
        program: "tools/table".to_owned(),
        confirmed: true,
        by_suite: true,
        command: replay(7),
        case: "cases/000007".to_owned(),
        seed: Some("tests/time.sh".to_owned()),
        old: exits(0, "12:00:01\n", ""),
        new: exits(0, "12:00:02\n", ""),
        cases: 1,
        input_bytes: 6,
        seconds: 48.0,
        ..CheckFinding::default()
    }
}

/// The versions part and come together again.
fn same() -> CheckFinding {
    CheckFinding {
        id: "aabbccddeeff".to_owned(),
        class: Class::Same,
        verdict: "the versions part at the loop and print the same".to_owned(),
        program: "tools/average".to_owned(),
        confirmed: true,
        place: Some(place(AVERAGE, 11)),
        version: Version::New,
        changes: vec![place(AVERAGE, 11)],
        kind: Some(Kind::Control),
        phase: Some(Phase::Seed),
        command: replay(8),
        case: "cases/000008".to_owned(),
        seed: Some("tests/one.sh".to_owned()),
        old: exits(0, "1\n", ""),
        new: exits(0, "1\n", ""),
        cases: 4,
        input_bytes: 5,
        seconds: 60.0,
        ..CheckFinding::default()
    }
}
