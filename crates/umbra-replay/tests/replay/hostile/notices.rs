//! What no sandbox stops is noticed: otherwise it would mean nothing that nothing is.

use std::fs;
use std::os::unix::fs::MetadataExt;

use super::machine::{self, ORDINARY, Report, SAME};

/// What the superuser does to the machine, and the line that must say so.
const AS_SUPERUSER: [(&str, &str); 15] = [
    ("echo changed >>/etc/passwd", "/upper/etc/passwd is new"),
    ("cp /etc/passwd /tmp/p; cat /tmp/p >/etc/passwd; rm /tmp/p", "/upper/etc/passwd is new"),
    ("echo added >/etc/added", "/upper/etc/added is new"),
    ("rm /etc/passwd", "/upper/etc/passwd is new: Entry { attributes: \"20000 "),
    ("mv /etc/passwd /etc/moved", "/upper/etc/moved is new"),
    ("chmod 600 /etc/passwd", "/upper/etc/passwd is new: Entry { attributes: \"100600 "),
    ("chown 1:1 /etc/passwd", " 1:1 "),
    ("touch -d @1 /usr/bin/env", "modified: Some((1, 0))"),
    ("ln -s / /home/link", "/upper/home/link is new: Entry { attributes: \"120777 "),
    ("ln /etc/passwd /etc/linked", "/upper/etc/linked is new"),
    ("mkdir -m 0 /var/tmp/closed", "/upper/var/tmp/closed is new"),
    ("mkdir /srv/folder", "/upper/srv/folder is new"),
    ("chmod 700 /var", "/upper/var was "),
    ("echo added >/added", "/root/added is new"),
    ("mkfifo /root/fifo", "/upper/root/fifo is new"),
];

/// What everybody can do. (The name of a process that is left may still be the shell's.)
const AS_ANYBODY: [(&str, &str); 6] = [
    ("echo added >/tmp/added", "/upper/tmp/added is new"),
    ("mkdir -m 0 /tmp/closed", "/upper/tmp/closed is new"),
    ("echo added >/dev/shm/added", "/shm/added is new"),
    ("setsid sleep 600 </dev/null >/dev/null 2>&1 &", ") is left"),
    ("(setsid sh -c 'trap \"\" HUP TERM; sleep 601 & wait' &) >/dev/null 2>&1", ") is left"),
    ("sleep 602 >/dev/null 2>&1 & kill -STOP $!", ") is left"),
];

/// What changes nothing.
const CLEAN: &str = "cat /etc/passwd >/tmp/copy; chmod 0 /tmp/copy; rm -f /tmp/copy; ls -l / /etc; \
    mkdir /tmp/folder && rmdir /tmp/folder; sleep 0 & wait";

#[test]
fn what_an_ordinary_user_changes_is_noticed() {
    let user = if rustix::process::geteuid().is_root() { ORDINARY } else { SAME };
    check(user, &AS_ANYBODY);
}

#[test]
fn what_the_superuser_changes_is_noticed_and_harms_nobody() {
    if !rustix::process::geteuid().is_root() {
        let error = fs::OpenOptions::new().append(true).open("/etc/passwd").err();
        assert!(error.is_some(), "who is not the superuser can change nothing of the system's");
        return;
    }
    let host = || {
        let metadata = fs::metadata("/etc/passwd").expect("a file of the system");
        let content = fs::read("/etc/passwd").expect("its content");
        (metadata.mode(), metadata.uid(), metadata.mtime(), metadata.ino(), content)
    };
    let before = host();
    check(SAME, &AS_SUPERUSER);
    check(SAME, &AS_ANYBODY);
    assert_eq!(before, host());
    for path in ["/etc/added", "/etc/moved", "/home/link", "/srv/folder", "/added", "/root/fifo"] {
        assert!(fs::symlink_metadata(path).is_err(), "{path} of the host");
    }
}

fn check(user: &str, rows: &[(&str, &str)]) {
    let Some(clean) = available(machine::run(user, &["sh", "-c", CLEAN])) else { return };
    clean.assert_clean();
    for (command, expected) in rows {
        let report = machine::run(user, &["sh", "-c", command]).expect("a machine, as before");
        let is_noticed = report.changes.iter().any(|line| line.contains(expected));
        assert!(is_noticed, "{command}: {} {:?}", report.output, report.changes);
        assert!(report.status.is_some_and(|status| status & 2 != 0), "{command}");
    }
}

/// Where no machine is available, the reason must be given.
fn available(report: Result<Report, String>) -> Option<Report> {
    let reason = match report {
        Ok(report) => return Some(report),
        Err(reason) => reason,
    };
    assert!(!machine::is_required(), "{reason}");
    assert!(reason.starts_with("no machine: cannot "), "{reason}");
    None
}
