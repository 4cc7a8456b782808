//! Which sandbox is available on this machine, why not, and what to do.

use std::fs;
use std::path::Path;

use crate::inside::landlock_version;
use crate::{Confinement, Error, Launcher, Sandbox};

/// One thing that native runs need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// A short name.
    pub name: &'static str,
    /// What it is used for.
    pub purpose: &'static str,
    /// Whether native runs are possible without it, given the other facts.
    pub optional: bool,
    /// Whether it is there.
    pub finding: Presence,
}

/// Whether something is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It is; in a few words.
    Present(String),
    /// It is not.
    Absent {
        /// What was tried and what the system said.
        reason: String,
        /// What to do.
        fix: String,
    },
}

impl Presence {
    fn is_present(&self) -> bool {
        matches!(self, Self::Present(_))
    }
}

/// Finds out, by trying.
pub fn facts(launcher: &Launcher) -> Vec<Fact> {
    let root = Path::new("/");
    let mut started = Vec::new();
    let namespaces = try_sandbox(launcher, Confinement::Namespaces, &mut started, || {
        ("own user, mount, pid and network namespaces".to_owned(), fix_for_namespaces(root))
    });
    let landlock = try_sandbox(launcher, Confinement::Landlock, &mut started, || {
        let version = landlock_version().map_or_else(|_| "?".to_owned(), |at| at.to_string());
        (format!("version {version}"), fix_for_landlock(root))
    });
    let (has_namespaces, has_landlock) = (namespaces.is_present(), landlock.is_present());
    vec![
        Fact {
            name: "namespaces",
            purpose: "the sandbox for native runs",
            optional: has_landlock,
            finding: namespaces,
        },
        Fact {
            name: "landlock",
            purpose: "a weaker sandbox, for machines without namespaces",
            optional: has_namespaces,
            finding: landlock,
        },
        Fact {
            name: "ptrace",
            purpose: "reads block counters from native runs",
            optional: true,
            finding: tracing(root, has_namespaces),
        },
        Fact {
            name: "cgroup",
            purpose: "counts the memory of native runs",
            optional: true,
            finding: started.first().map_or_else(without_sandbox, counting),
        },
    ]
}

/// Who counts the memory of runs in a sandbox.
fn counting(sandbox: &Sandbox) -> Presence {
    let count = sandbox.memory_count();
    match sandbox.without_group() {
        None => Presence::Present(format!("{}: {}", count.name(), count.covers())),
        Some(reason) => Presence::Absent {
            reason: format!("{reason}; so the limit covers {}", count.covers()),
            fix: "systemd-run --user --scope umbra ..., or run umbra as the superuser".to_owned(),
        },
    }
}

fn without_sandbox() -> Presence {
    Presence::Absent { reason: "nothing runs".to_owned(), fix: "get a sandbox".to_owned() }
}

/// `about` gives a description for the case that it works, and a fix for the case that it does not.
fn try_sandbox(
    launcher: &Launcher,
    confinement: Confinement,
    started: &mut Vec<Sandbox>,
    about: impl Fn() -> (String, String),
) -> Presence {
    let (description, fix) = about();
    match Sandbox::start(launcher, confinement) {
        Ok(sandbox) => {
            started.push(sandbox);
            Presence::Present(description)
        }
        Err(Error::Unavailable { what, error, .. }) => {
            Presence::Absent { reason: format!("cannot {what}: {error}"), fix }
        }
        Err(error) => Presence::Absent { reason: error.to_string(), fix },
    }
}

fn setting(root: &Path, path: &str) -> Option<String> {
    let text = fs::read_to_string(root.join("proc/sys").join(path)).ok()?;
    Some(text.trim().to_owned())
}

fn is_container(root: &Path) -> bool {
    [".dockerenv", "run/.containerenv"].iter().any(|mark| root.join(mark).exists())
}

/// The likely reason, most specific first.
fn fix_for_namespaces(root: &Path) -> String {
    let is = |path: &str, value: &str| setting(root, path).as_deref() == Some(value);
    if !root.join("proc/self/ns/user").exists() {
        "use a kernel with user namespaces (CONFIG_USER_NS)".to_owned()
    } else if is("user/max_user_namespaces", "0") {
        "sysctl -w user.max_user_namespaces=10000".to_owned()
    } else if is("kernel/unprivileged_userns_clone", "0") {
        "sysctl -w kernel.unprivileged_userns_clone=1".to_owned()
    } else if is("kernel/apparmor_restrict_unprivileged_userns", "1") {
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for umbra \
         that allows userns"
            .to_owned()
    } else if is_container(root) {
        "start the container with --security-opt seccomp=unconfined --security-opt \
         apparmor=unconfined --security-opt systempaths=unconfined, or with --privileged"
            .to_owned()
    } else {
        "allow user namespaces (a filter of system calls or a security module may forbid them)"
            .to_owned()
    }
}

/// Whether the kernel is older than a version; not if it does not say which one it is.
fn is_older(root: &Path, version: [u32; 2]) -> bool {
    let release = setting(root, "kernel/osrelease").unwrap_or_default();
    let mut numbers = release.split(['.', '-']).map_while(|word| word.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) => [major, minor] < version,
        _ => false,
    }
}

fn fix_for_landlock(root: &Path) -> String {
    let modules = fs::read_to_string(root.join("sys/kernel/security/lsm")).unwrap_or_default();
    if is_older(root, [6, 2]) {
        // Whatever else forbids it.
        "use Linux 6.2 or later".to_owned()
    } else if !modules.is_empty() && !modules.contains("landlock") {
        format!("boot with lsm=landlock,{}", modules.trim())
    } else if is_container(root) {
        "start the container with --security-opt seccomp=unconfined".to_owned()
    } else {
        "use Linux 6.2 or later with Landlock (CONFIG_SECURITY_LANDLOCK)".to_owned()
    }
}

fn tracing(root: &Path, has_namespaces: bool) -> Presence {
    let scope = setting(root, "kernel/yama/ptrace_scope").unwrap_or_else(|| "0".to_owned());
    // In a user namespace of its own the tracer is privileged enough for scope 2.
    let allowed = matches!(scope.as_str(), "0" | "1") || (scope == "2" && has_namespaces);
    match allowed {
        true => Presence::Present(format!("scope {scope}")),
        false => Presence::Absent {
            reason: format!("kernel.yama.ptrace_scope is {scope}"),
            fix: "sysctl -w kernel.yama.ptrace_scope=1 (3 can only be undone by a reboot)"
                .to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A machine described by files and their contents.
    fn machine(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (path, content) in [("proc/self/ns/user", "")].iter().chain(files) {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("folders");
            fs::write(path, content).expect("a file");
        }
        root
    }

    #[test]
    fn the_fix_fits_what_forbids_namespaces() {
        for (files, part) in [
            (&[("proc/sys/user/max_user_namespaces", "0\n")][..], "max_user_namespaces=10000"),
            (&[("proc/sys/kernel/unprivileged_userns_clone", "0\n")], "userns_clone=1"),
            (
                &[("proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1\n")],
                "apparmor_restrict_unprivileged_userns=0",
            ),
            (&[(".dockerenv", "")], "--security-opt"),
            (&[("proc/sys/user/max_user_namespaces", "100\n")], "may forbid them"),
        ] {
            let fix = fix_for_namespaces(machine(files).path());
            assert!(fix.contains(part), "{files:?}: {fix}");
        }
        let bare = tempfile::tempdir().expect("a folder");
        assert!(fix_for_namespaces(bare.path()).contains("CONFIG_USER_NS"));
    }

    #[test]
    fn the_fix_fits_what_forbids_landlock() {
        for (files, part) in [
            (&[("sys/kernel/security/lsm", "lockdown,yama")][..], "lsm=landlock,lockdown,yama"),
            (&[("run/.containerenv", "")], "seccomp=unconfined"),
            (
                &[("run/.containerenv", ""), ("proc/sys/kernel/osrelease", "6.2.0-rc1\n")],
                "seccomp=unconfined",
            ),
            // A setting would not help.
            (
                &[("run/.containerenv", ""), ("proc/sys/kernel/osrelease", "6.1.0-56-amd64\n")],
                "Linux 6.2",
            ),
            (
                &[
                    ("sys/kernel/security/lsm", "lockdown,yama"),
                    ("proc/sys/kernel/osrelease", "5.10.0-32-amd64\n"),
                ],
                "Linux 6.2",
            ),
            (&[], "Linux 6.2"),
        ] {
            let fix = fix_for_landlock(machine(files).path());
            assert!(fix.contains(part), "{files:?}: {fix}");
        }
    }

    #[test]
    fn tracing_depends_on_its_scope() {
        for (scope, has_namespaces, expected) in [
            ("0", false, true),
            ("1", false, true),
            ("2", false, false),
            ("2", true, true),
            ("3", true, false),
        ] {
            let root = machine(&[("proc/sys/kernel/yama/ptrace_scope", scope)]);
            let finding = tracing(root.path(), has_namespaces);
            assert_eq!(finding.is_present(), expected, "{scope} {has_namespaces}");
        }
    }
}
