//! `umbra doctor` and the steps behind it.

use crate::support::{Dir, UMBRA};

#[test]
fn a_complete_machine() {
    let dir = Dir::new();
    let text = dir.ok(&format!("{UMBRA} doctor"));
    assert!(text.lines().any(|line| line.starts_with("ok") && line.contains("libc")), "{text}");
    let json: serde_json::Value =
        serde_json::from_str(&dir.ok(&format!("{UMBRA} doctor --json"))).unwrap();
    assert_eq!(json["schema"], "umbra/1");
    assert_eq!(json["exit"], 0);
    let checks = json["checks"].as_array().unwrap();
    let sandboxes = ["namespaces", "landlock"]
        .map(|name| checks.iter().find(|check| check["name"] == name).unwrap());
    assert!(sandboxes.iter().any(|check| check["ok"] == true), "{sandboxes:?}");
    for check in sandboxes {
        assert!(check["detail"].is_string() && (check["ok"] == true || check["fix"].is_string()));
        assert!(text.contains(check["name"].as_str().unwrap()), "{text}");
    }
    // What the limit on memory covers here.
    let group = checks.iter().find(|check| check["name"] == "cgroup").unwrap();
    let covers = if group["ok"] == true { "all memory of a run" } else { "shared mappings" };
    assert!(group["detail"].as_str().unwrap().contains(covers), "{group}");
    assert!(text.contains(covers), "{text}");
}

#[test]
fn missing_things_are_named_with_the_way_to_get_them() {
    let dir = Dir::new();
    let output = dir.shell(&format!("PATH= UMBRA_CACHE=$PWD/none {UMBRA} doctor"));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stdout).unwrap();
    for fix in ["apt-get install clang-19", "apt-get install lld-19", "umbra libc build"] {
        assert!(text.contains(fix), "{fix} not in {text}");
    }
    let output = dir.shell(&format!("UMBRA_CACHE=$PWD/none {UMBRA} cc x.c"));
    assert_eq!(output.status.code(), Some(1));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.starts_with("umbra cc: the bitcode libc is not in"), "{text}");
}

#[test]
fn musl_source_is_checked() {
    let dir = Dir::new();
    let output = dir.shell(&format!("UMBRA_CACHE=$PWD/none {UMBRA} libc build --source ."));
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8(output.stderr).unwrap();
    assert!(text.contains("is not musl's source (it has no VERSION)"), "{text}");
}

#[test]
fn limits_hold() {
    let dir = Dir::new();
    let output = dir.shell(&format!("{UMBRA} __limited --cpu 1 -- sh -c 'while :; do :; done'"));
    assert!(!output.status.success());
    let text = dir.ok(&format!("{UMBRA} __limited --as 1073741824 --cpu 5 -- sh -c 'ulimit -v'"));
    assert_eq!(text.trim(), "1048576");
    assert_eq!(dir.shell(&format!("{UMBRA} __limited --as x -- true")).status.code(), Some(2));
}
