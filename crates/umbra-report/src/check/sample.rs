//! A check with everything in it that a check can come to.
//!
//! For the tests of the forms, and for looking at them. The patch drops a guard against a division by zero and
//! prints a table in another way. Parts of it are hostile on purpose: they would break out of a form that does not
//! escape what comes from outside.

mod findings;

use crate::{
    CheckReport, CheckedProgram, EffectLine, Event, HunkAnswer, HunkLine, HunkReport, LineSort,
    PatchFile, RevisionLine, Stage, StageEnd, StageLine,
};

/// The file with the guard.
const AVERAGE: &str = "src/average.c";

/// The file with the table. Its name is not one that can stand in an address as it is.
const TABLE: &str = "src/table größe.c";

/// What would do harm in a page, in a terminal, in XML and in a code fence.
const HOSTILE: &str =
    "</pre><script>alert('1')</script> & ]]> \u{1b}[31mred\u{1b}[0m\u{202e} ``` ```` | Größe 日本";

/// An example of a check, for tests and for looking at the forms of its report.
pub fn sample_check() -> CheckReport {
    CheckReport {
        exit: 1,
        folder: ".umbra/checks/0007".to_owned(),
        page: Some(".umbra/checks/0007/report.html".to_owned()),
        old: RevisionLine {
            name: "main".to_owned(),
            commit: Some("3f1c2ab9d07e4b6a8c5d1e2f30415263748596a7".to_owned()),
            subject: Some("table: right-align the numbers".to_owned()),
        },
        new: RevisionLine {
            name: "faster-average".to_owned(),
            commit: Some("b81e09c45d6f7a8b9c0d1e2f3a4b5c6d7e8f9012".to_owned()),
            subject: Some("average: drop a <needless> check & \u{1b}[1mmore\u{1b}[0m".to_owned()),
        },
        stages: stages(),
        notes: vec![
            "2 tests of the suite fail on both versions; they were left out.".to_owned(),
            format!("The file notes/{HOSTILE} is changed, and no program is built from it."),
        ],
        patch: patch(),
        programs: programs(),
        findings: findings::findings(),
        gone: vec!["5e0f7a1b92c4".to_owned()],
        effects: effects(),
        events: events(),
        wall_s: 312.4,
        cpu_s: 1184.9,
        instructions: 2_959_125_146,
        peak_mib: 812.5,
    }
}

fn stages() -> Vec<StageLine> {
    let line = |stage, end, found: &str, seconds| {
        let found = found.to_owned();
        StageLine { stage, end, found, seconds }
    };
    vec![
        line(Stage::Build, StageEnd::Done, "2 programs in both versions", 41.2),
        line(Stage::Patch, StageEnd::Done, "2 files, 4 hunks, 4 functions", 0.6),
        line(Stage::Record, StageEnd::Reused, "118 cases of 96 tests", 0.1),
        line(Stage::Suite, StageEnd::Done, "1 of 118 cases differs", 9.8),
        line(
            Stage::Search,
            StageEnd::Interrupted,
            "tools/table was not explored to the end",
            255.0,
        ),
        line(Stage::Confirm, StageEnd::Done, "6 of 7 findings confirmed", 5.7),
    ]
}

/// Lines of a hunk, from where it begins in the versions. A first character says what sort of line it is, as in a
/// patch; behind it are the tests that run the line, if it has code, and `!` if only an input of a finding does.
fn lines(mut old: u32, mut new: u32, lines: &[(&str, Option<u64>, &str)]) -> Vec<HunkLine> {
    let line = |(sort, tests, text): &(&str, Option<u64>, &str)| {
        let reached = sort.ends_with('!');
        let sort = match &sort[..1] {
            "-" => LineSort::Removed,
            "+" => LineSort::Added,
            _ => LineSort::Context,
        };
        let number = |next: &mut u32, has: bool| {
            let number = *next;
            *next += u32::from(has);
            has.then_some(number)
        };
        let old = number(&mut old, sort != LineSort::Added);
        let new = number(&mut new, sort != LineSort::Removed);
        HunkLine {
            sort,
            old,
            new,
            text: (*text).to_owned(),
            tests: *tests,
            reached,
            ..HunkLine::default()
        }
    };
    lines.iter().map(line).collect()
}

fn patch() -> Vec<PatchFile> {
    let average = HunkReport {
        function: Some("average".to_owned()),
        lines: lines(
            8,
            8,
            &[
                (" ", None, "average (const int *values, int count)"),
                (" ", None, "{"),
                (" ", Some(61), "  long sum = 0;"),
                ("-", Some(61), "  if (count == 0)"),
                ("-!", Some(0), "    return 0;"),
                (" ", Some(61), "  for (int i = 0; i < count; i++)"),
                (" ", Some(61), "    sum += values[i];"),
                ("-", Some(61), "  return (int) (sum / count);"),
                ("+", Some(61), "  return sum / count;"),
                (" ", None, "}"),
            ],
        ),
        answer: HunkAnswer::Found,
        because: "Without the guard, an empty list makes the new version divide by zero."
            .to_owned(),
        findings: vec![1, 3],
    };
    let scale = HunkReport {
        function: Some("scale".to_owned()),
        lines: lines(
            25,
            23,
            &[
                (" ", None, "{"),
                ("-", Some(12), "  return value * factor;"),
                ("+", Some(12), "  return factor * value;"),
                (" ", None, "}"),
            ],
        ),
        answer: HunkAnswer::Proved,
        because:
            "The new version makes the same value, which was proved for all inputs near 12 tests."
                .to_owned(),
        findings: Vec::new(),
    };
    let long = format!("  /* {} */", "<b>very long</b> ]]> ".repeat(40));
    let row = HunkReport {
        function: Some("print_row".to_owned()),
        lines: lines(
            41,
            41,
            &[
                (" ", None, "print_row (const char *name, double value)"),
                (" ", None, "{"),
                (" ", None, &long),
                ("-", Some(44), "  printf (\"%s: %.2f\\n\", name, value);"),
                ("+", Some(44), "  printf (\"%-8s %.3f\\n\", name, value);"),
                ("+!", Some(0), "\tif (value < 0) puts (\"<i>größe</i> \u{1b}[31m & 日本\");"),
                (" ", None, "}"),
            ],
        ),
        answer: HunkAnswer::Found,
        because: "The table is printed in another way.".to_owned(),
        findings: vec![2, 4, 5, 6],
    };
    let usage = HunkReport {
        function: None,
        lines: lines(
            62,
            63,
            &[
                (" ", None, "{"),
                ("-", Some(0), "  fputs (\"usage: table [FILE]\\n\", stderr);"),
                ("-", Some(0), "  exit (1);"),
                ("+", Some(0), "  fputs (\"usage: table [FILE]...\\n\", stderr);"),
                ("+", Some(0), "  exit (2);"),
                (" ", None, "}"),
            ],
        ),
        answer: HunkAnswer::NotRun,
        because: "No test runs these lines, nor does an input that was found.".to_owned(),
        findings: Vec::new(),
    };
    vec![
        PatchFile { path: AVERAGE.to_owned(), hunks: vec![average, scale] },
        PatchFile { path: TABLE.to_owned(), hunks: vec![row, usage] },
    ]
}

fn programs() -> Vec<CheckedProgram> {
    vec![
        CheckedProgram {
            path: "tools/average".to_owned(),
            outcome: "1 regression".to_owned(),
            complete: true,
            tests: 73,
            touching: 61,
            same: 412,
            diff: 3,
            cut: 0,
            instructions: 48_120_334,
            left_out: Vec::new(),
        },
        CheckedProgram {
            path: "tools/table".to_owned(),
            outcome: "2 output differences; the search was stopped".to_owned(),
            complete: false,
            tests: 45,
            touching: 44,
            same: 1_290,
            diff: 7,
            cut: 31,
            instructions: 2_911_004_812,
            left_out: vec![("time".to_owned(), 1), ("not modelled: <locale> & co".to_owned(), 30)],
        },
    ]
}

fn effects() -> Vec<EffectLine> {
    vec![
        EffectLine {
            what: "processor time".to_owned(),
            unit: "s".to_owned(),
            old: 4.12,
            new: 3.98,
            worst: Some("tests/long.sh".to_owned()),
            worst_values: Some((0.31, 0.44)),
        },
        EffectLine {
            what: "peak memory".to_owned(),
            unit: "MiB".to_owned(),
            old: 212.0,
            new: 212.0,
            worst: None,
            worst_values: None,
        },
    ]
}

fn events() -> Vec<Event> {
    let event = |seconds, stage, text: &str, finding, lines_run| {
        let text = text.to_owned();
        Event { seconds, stage, text, finding, lines_run, lines: 12 }
    };
    vec![
        event(0.0, Stage::Build, "the check begins", None, 0),
        event(41.2, Stage::Build, "both versions are built", None, 0),
        event(47.0, Stage::Suite, "a test shows another output", Some(2), 6),
        event(66.5, Stage::Search, "an empty list divides by zero", Some(1), 7),
        event(140.0, Stage::Search, "a negative value prints <i>more</i>", Some(6), 8),
        event(301.9, Stage::Search, "the user stops the search", None, 8),
        event(312.4, Stage::Confirm, "the check ends", None, 8),
    ]
}
