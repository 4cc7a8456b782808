//! What is recorded is what was there, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use umbra_case::{
    Access, Case, Descriptor, Device, Entry, EntryKind, Resource, Stdin, Store, Timestamp,
};
use umbra_record::Recorder;
use umbra_record::settings::Caps;
use umbra_words::End;

use crate::workplace::{Probe, Workplace};

/// The only case of a script, which is the same whichever way the probe's calls are seen.
fn record(script: &str) -> Case {
    let case = record_with(Probe::Filtered, script);
    let mut other = record_with(Probe::Tracing, script);
    // The folders of the two scripts have different names.
    other.origin.insert("test".to_owned(), case.origin["test"].clone());
    other.root = case.root.clone();
    assert_eq!(case, other, "{script}");
    case
}

fn record_with(probe: Probe, script: &str) -> Case {
    let workplace = Workplace::with(probe);
    let summary = workplace.record(script);
    assert_eq!(
        (summary.invocations, summary.recorded, &summary.incomplete),
        (1, 1, &BTreeMap::new()),
        "{script}: {}",
        workplace.result()
    );
    let mut cases = workplace.cases();
    assert_eq!(cases.len(), 1);
    cases.remove(0)
}

/// Paths with kinds, without the root itself.
fn tree(case: &Case) -> Vec<(String, EntryKind)> {
    let name = |entry: &Entry| String::from_utf8_lossy(&entry.path).into_owned();
    let below = case.tree.iter().filter(|entry| entry.path != b".");
    below.map(|entry| (name(entry), entry.kind.clone())).collect()
}

fn file(name: &str, content: &str) -> (String, EntryKind) {
    (name.to_owned(), EntryKind::File(content.into()))
}

#[test]
fn the_start_of_a_process_is_recorded() {
    let case = record("umask 027; trap '' INT; ulimit -n 33; bin/probe exit 4 -x ''");
    assert_eq!(case.program, b"bin/probe");
    assert_eq!(case.arguments, ["exit", "4", "-x", ""].map(|word| word.as_bytes().to_vec()));
    assert_eq!(case.environment, [b"LC_ALL=C".to_vec()]);
    assert_eq!((case.settings.umask, &case.stdin), (0o027, &Stdin::Null));
    assert!(case.settings.ignored_signals.contains(&2));
    assert_eq!(case.settings.limits, BTreeMap::from([(Resource::OpenFiles, Some(33))]));
    assert_eq!(case.expected.end, Some(End::Exited(4)));
    assert_eq!((tree(&case), case.root, case.directory), (vec![], None, vec![]));
    let killed = record("bin/probe abort");
    assert_eq!(killed.expected.end, Some(End::Killed(6)));
}

#[test]
fn only_what_is_touched_is_in_the_tree() {
    let case = record(
        "mkdir d e; echo one > d/f; echo two > e/f; echo three > other; ln -s d/f l; chmod 600 d/f; \
         bin/probe cat l none",
    );
    let link = ("l".to_owned(), EntryKind::Symlink(b"d/f".to_vec()));
    let folder = ("d".to_owned(), EntryKind::Directory);
    assert_eq!(tree(&case), [folder, file("d/f", "one\n"), link]);
    assert_eq!(case.tree.iter().find(|entry| entry.path == b"d/f").unwrap().mode, 0o600);
}

#[test]
fn files_are_recorded_as_they_were_before() {
    let case = record("echo old > f; bin/probe truncate f");
    assert_eq!(tree(&case), [file("f", "old\n")]);
    assert_eq!(tree(&record("bin/probe make")), []);
    let workplace = Workplace::new();
    workplace.record("echo 1 > f; bin/probe cat f; echo 2 > f; bin/probe cat f");
    let mut trees: Vec<_> = workplace.cases().iter().map(tree).collect();
    trees.sort_by_key(|tree| format!("{tree:?}"));
    assert_eq!(trees, [[file("f", "1\n")], [file("f", "2\n")]]);
}

#[test]
fn listed_folders_have_all_entries_in_their_order() {
    let case =
        record("mkdir d d/sub; echo x > d/a; mkfifo d/p; echo y > d/sub/no; bin/probe list d");
    let listed = String::from_utf8(case.expected.stdout.clone().unwrap()).unwrap();
    let mut tree = tree(&case);
    let paths: Vec<&str> = tree.iter().map(|(path, _)| path.as_str()).collect();
    assert_eq!(paths, ["d"].into_iter().chain(listed.lines()).collect::<Vec<_>>());
    let expected = [
        ("d".to_owned(), EntryKind::Directory),
        file("d/a", "x\n"),
        ("d/p".to_owned(), EntryKind::Fifo),
        ("d/sub".to_owned(), EntryKind::Directory),
    ];
    tree.sort_by(|one, other| one.0.cmp(&other.0));
    assert_eq!(tree, expected);
}

#[test]
fn exactly_what_was_read_from_a_pipe_is_standard_input() {
    for (script, bytes) in [
        ("printf 'a\\nb\\n' | bin/probe line", "a\n"),
        ("printf 'twelve bytes' | bin/probe scatter", "twelve b"),
        ("printf 'twelve bytes' | bin/probe dup", "twel"),
        ("printf 'all of it' | bin/probe cat /dev/stdin", "all of it"),
        ("printf 'nothing' | bin/probe args", ""),
    ] {
        assert_eq!(record(script).stdin, Stdin::Pipe(bytes.into()), "{script}");
    }
}

#[test]
fn descriptors_are_recorded_with_kind_and_offset() {
    let case = record(
        "printf 'ab\\ncd\\n' > f; echo log > o; (read first; bin/probe line 2>> o > o 7< f) < f",
    );
    let file = |path: &str, offset, access, append| Descriptor::File {
        path: path.into(),
        offset,
        access,
        append,
    };
    let expected = [
        (0, file("f", 3, Access::Read, false)),
        (1, file("o", 0, Access::Write, false)),
        (2, file("o", 0, Access::Write, true)),
        (7, file("f", 0, Access::Read, false)),
    ];
    assert_eq!(case.descriptors, BTreeMap::from(expected));
    for (script, path) in [("mkdir d; bin/probe line < d", "d"), ("bin/probe line < .", ".")] {
        let folder = record(script);
        assert_eq!(folder.descriptors, BTreeMap::from([(0, file(path, 0, Access::Read, false))]));
        assert_eq!(folder.expected.stdout, Some(vec![]));
    }
    let same = record("bin/probe args > o 2>&1");
    assert_eq!(same.descriptors[&2], Descriptor::Same(1));
    let devices = record("bin/probe args < /dev/zero > /dev/full");
    let device = |device, access| Descriptor::Device { device, access };
    let expected =
        [(0, device(Device::Zero, Access::Read)), (1, device(Device::Full, Access::Write))];
    assert_eq!(devices.descriptors, BTreeMap::from(expected));
    let closed = record("bin/probe args <&- 2>&-");
    assert_eq!((closed.stdin, &closed.descriptors[&2]), (Stdin::Closed, &Descriptor::Closed));
}

#[test]
fn output_is_kept_if_it_is_small_and_whole() {
    let streams = |script: &str| {
        let expected = record(script).expected;
        let text = |bytes: Option<Vec<u8>>| bytes.map(|bytes| String::from_utf8(bytes).unwrap());
        (text(expected.stdout), text(expected.stderr))
    };
    let some = |text: &str| Some(text.to_owned());
    for (script, stdout, stderr) in [
        ("echo x > f; bin/probe cat f", some("x\n"), some("")),
        ("bin/probe say", some("one\ntwo\n"), some("error\n")),
        ("bin/probe say | cat", some("one\ntwo\n"), some("error\n")),
        ("bin/probe say > /dev/null 2>&1", None, None),
        ("bin/probe say > out", None, some("error\n")),
        ("bin/probe say-elsewhere", some("here\n"), some("")),
        ("bin/probe say-copied", None, some("")),
        ("yes | head -c 65536 > f; bin/probe cat f", some(&"y\n".repeat(32768)), some("")),
        ("yes | head -c 65537 > f; bin/probe cat f", None, some("")),
    ] {
        assert!(streams(script) == (stdout, stderr), "{script}: {:?}", streams(script));
    }
    let notes = |script| record(script).origin.remove("notes").unwrap_or_default();
    let is_noted = |script| notes(script).split(' ').any(|note| note == "output");
    assert_eq!((is_noted("bin/probe say-copied"), is_noted("bin/probe say")), (true, false));
}

#[test]
fn a_case_stands_at_its_own_place_only_if_it_names_it() {
    let script = "mkdir s; echo x > f; cd s; ../bin/probe cat ../f";
    let case = record(script);
    assert_eq!((case.root.as_deref(), &*case.directory), (None, &b"s"[..]));
    assert_eq!(tree(&case), [file("f", "x\n"), ("s".to_owned(), EntryKind::Directory)]);
    assert_eq!(case.id(), record(script).id());
    let workplace = Workplace::new();
    workplace.record("echo x > f; bin/probe cat \"$PWD/f\"");
    let root = workplace.work().into_os_string().into_encoded_bytes();
    assert_eq!(workplace.cases()[0].root, Some(root));
}

#[test]
fn times_that_were_set_and_seen_are_kept() {
    let case = record("touch -d @1000000000 f; touch g; bin/probe stat f g");
    let times: Vec<_> = ["f", "g"]
        .map(|name| case.tree.iter().find(|entry| entry.path == name.as_bytes()).unwrap().modified)
        .into();
    assert_eq!(times, [Some(Timestamp { seconds: 1_000_000_000, nanoseconds: 0 }), None]);
}

#[test]
fn nested_programs_have_recordings_of_their_own() {
    let workplace = Workplace::new();
    let summary = workplace
        .record("echo five | bin/probe spawn bin/probe line; bin/probe exec bin/probe args");
    assert_eq!((summary.invocations, summary.recorded), (4, 4));
    assert_eq!((summary.notes["spawns"], summary.notes["executes"]), (1, 1));
    let line = workplace.cases().into_iter().find(|case| case.arguments == [b"line"]).unwrap();
    assert_eq!(line.stdin, Stdin::Pipe(b"five\n".to_vec()));
    // What the outer program looks at is the program, not the shim.
    let outer = workplace.cases().into_iter().find(|case| case.arguments[0] == b"spawn").unwrap();
    let program = fs::read(workplace.program()).unwrap();
    assert!(tree(&outer).contains(&("bin/probe".to_owned(), EntryKind::File(program))));
}

#[test]
fn equal_invocations_are_one_case_that_knows_its_test() {
    let workplace = Workplace::new();
    let test = "printf 'echo x > f; bin/probe cat f' > t.sh; sh t.sh; sh t.sh; sh t.sh";
    let summary = workplace.record(test);
    assert_eq!((summary.invocations, summary.unique()), (3, 1));
    let origin = &workplace.cases()[0].origin;
    assert_eq!((&*origin["test"], &*origin["occurrences"]), ("t.sh", "3"));
}

#[test]
fn blocks_that_ran_are_kept() {
    let workplace = Workplace::new();
    workplace.record("bin/probe args; bin/probe second; bin/probe exec bin/probe exit 0");
    let store = Store::open(workplace.store()).unwrap();
    for case in workplace.cases() {
        let wanted = [1, u8::from(case.arguments[0] == b"second"), 0, 0];
        let object = umbra_case::ObjectId::of(&wanted);
        assert_eq!(case.origin["blocks"], object.to_string());
        assert_eq!(store.object(&object).unwrap(), wanted);
    }
}

#[test]
fn what_is_not_recorded_is_counted_with_its_reason() {
    let workplace = Workplace::new();
    let caps = Caps { file: 3, stream: 3, ..Caps::default() };
    let config = umbra_record::RecordConfig { caps, ..workplace.config() };
    let summary = workplace.record_with(
        config,
        "echo long > f; bin/probe cat f; echo long | bin/probe line; \
         bin/gdb trace bin/probe args; mkdir d; cd d; rmdir ../d; \"$OLDPWD/bin/probe\" args",
    );
    assert_eq!(summary.invocations, 4);
    let expected = [("file-bytes", 1), ("no-directory", 1), ("stream-bytes", 1), ("traced", 1)];
    assert_eq!(summary.incomplete, BTreeMap::from(expected));
    assert_eq!(workplace.cases(), []);
}

#[test]
fn no_secret_is_stored() {
    let workplace = Workplace::new();
    // The suite itself looks too, while the raw recordings are there.
    let script = "export ANOTHER=marker-of-a-secret; echo x > f; bin/probe cat f | bin/probe line; \
                  bin/probe spawn bin/probe args; ls ../store/recording/*/raw | wc -l; \
                  grep -r marker-of-a-secret ../store; true";
    let summary = workplace.record(script);
    assert_eq!(summary.dropped_variables["SECRET"], 4);
    assert_eq!(summary.dropped_variables["ANOTHER"], 4);
    let result = workplace.result();
    assert!(result.contains("\nerr\nstatus 0") && !result.contains("marker-of"), "{result}");
    assert_eq!(files_with(&workplace.store(), b"marker-of-a-secret"), Vec::<String>::new());
    assert!(!files_with(&workplace.store(), b"LC_ALL=C").is_empty());
}

fn files_with(folder: &Path, marker: &[u8]) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, marker));
        } else if fs::read(&path).unwrap().windows(marker.len()).any(|window| window == marker) {
            found.push(path.display().to_string());
        }
    }
    found
}

#[test]
fn what_the_loader_has_loaded_is_in_the_tree() {
    let workplace = Workplace::new();
    let compile = "echo 'int f(void) { return 3; }' > l.c; echo 'int f(void); int main(void) { return f(); }' > m.c; \
                   clang-19 -shared -fPIC -o bin/libl.so l.c && clang-19 -o bin/probe m.c bin/libl.so";
    workplace.run(compile);
    let summary = workplace.record("bin/probe; echo $?");
    assert_eq!((summary.recorded, workplace.result().contains("out\n3\n")), (1, true));
    let library = fs::read(workplace.work().join("bin/libl.so")).unwrap();
    let tree = tree(&workplace.cases()[0]);
    assert!(tree.contains(&("bin/libl.so".to_owned(), EntryKind::File(library))));
}

/// A filter stays in all that a program starts, debuggers among them.
#[test]
fn programs_are_filtered_unless_a_debugger_is_in_sight() {
    for (probe, words, mode) in [
        (Probe::Filtered, "", "Seccomp:\t2"),
        (Probe::Filtered, "no/strace", "Seccomp:\t0"),
        (Probe::Tracing, "", "Seccomp:\t0"),
    ] {
        let case = record_with(probe, &format!("bin/probe cat /proc/self/status {words}"));
        let status = String::from_utf8(case.expected.stdout.unwrap()).unwrap();
        assert!(status.lines().any(|line| line == mode), "{probe:?} {words}: {status}");
    }
}

#[test]
fn a_debugger_that_was_not_in_sight_is_counted() {
    let workplace = Workplace::new();
    let summary = workplace.record("mv bin/gdb bin/x; bin/probe spawn bin/x trace bin/probe args");
    assert_eq!((summary.invocations, summary.recorded), (2, 1));
    assert_eq!(summary.incomplete, BTreeMap::from([("debugger", 1)]));
}

#[test]
fn a_leak_check_is_not_disturbed() {
    let workplace = Workplace::new();
    workplace.run(
        "echo '#include <stdlib.h>
         int main(void) { volatile char *p = malloc(9); p[0] = 1; p = 0; return 3; }' > m.c; \
         clang-19 -fsanitize=address -o bin/probe m.c",
    );
    let summary =
        workplace.record("bin/probe 2> errors; echo $?; grep -c 'detected memory leaks' errors");
    assert!(workplace.result().contains("out\n1\n1\n"), "{}", workplace.result());
    assert_eq!((summary.recorded, summary.notes.get("untraced")), (1, Some(&1)));
    let expected = &workplace.cases()[0].expected;
    assert_eq!((&expected.end, &expected.stdout, &expected.stderr), (&None, &None, &None));
}

#[test]
fn a_stream_that_the_filter_does_not_know_of_is_counted() {
    let script = "mkfifo p; (echo x > p &); bash -c 'exec 70< p; exec bin/probe args'";
    for (probe, recorded) in [(Probe::Tracing, 1), (Probe::Filtered, 0)] {
        let summary = Workplace::with(probe).record(script);
        assert_eq!((summary.invocations, summary.recorded), (1, recorded), "{probe:?}");
        let lost = summary.incomplete.get("unfollowed-stream").copied().unwrap_or_default();
        assert_eq!(lost, 1 - recorded, "{probe:?}");
    }
}

/// Tracers of several users write below one folder; only root can start them.
#[test]
fn programs_that_run_as_another_user_are_recorded() {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return;
    }
    let workplace = Workplace::new();
    let other = "setpriv --reuid 65534 --regid 65534 --clear-groups bin/probe args";
    let script = format!("chmod 755 ..; bin/probe args; {other}; bin/probe args; {other}");
    let summary = workplace.record(&script);
    assert_eq!((summary.invocations, summary.recorded, summary.running_tracers), (4, 4, 0));
    let users: BTreeSet<_> = workplace.cases().iter().map(|case| case.settings.user).collect();
    assert_eq!(users, BTreeSet::from([Some(0), Some(65534)]));
}

#[test]
fn scripts_are_refused() {
    let workplace = Workplace::new();
    fs::write(workplace.program(), "#!/bin/sh\n").unwrap();
    let error = Recorder::new(workplace.config()).run(&workplace.command("true"), &mut |_| {});
    assert!(
        matches!(error, Err(umbra_record::Error::Unfit { path }) if path == workplace.program())
    );
    assert_eq!(fs::read(workplace.program()).unwrap(), b"#!/bin/sh\n");
}

#[test]
fn a_program_that_was_built_anew_is_reported_and_left_alone() {
    let workplace = Workplace::new();
    let summary = workplace.record("bin/probe args; rm bin/probe; echo new > bin/probe");
    assert_eq!(summary.lost_shims, [workplace.program()]);
    assert_eq!(fs::read(workplace.program()).unwrap(), b"new\n");
}
