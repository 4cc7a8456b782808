//! Users and groups of the process.

use std::sync::Arc;

/// Real, effective and saved ids, and those used for files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Credentials {
    pub(crate) uid: u32,
    pub(crate) euid: u32,
    pub(crate) suid: u32,
    pub(crate) fsuid: u32,
    pub(crate) gid: u32,
    pub(crate) egid: u32,
    pub(crate) sgid: u32,
    pub(crate) fsgid: u32,
    pub(crate) groups: Arc<[u32]>,
    /// Whether user 0 has any capability.
    pub(crate) capable: bool,
}

impl Credentials {
    pub(crate) fn new(uid: u32, gid: u32, groups: &[u32]) -> Credentials {
        Credentials {
            uid,
            euid: uid,
            suid: uid,
            fsuid: uid,
            gid,
            egid: gid,
            sgid: gid,
            fsgid: gid,
            groups: groups.into(),
            capable: true,
        }
    }

    /// Root has every capability, or none as in a sandbox; everybody else has none: capabilities are
    /// not modelled one by one.
    pub(crate) fn is_privileged(&self) -> bool {
        self.euid == 0 && self.capable
    }

    pub(crate) fn in_group(&self, gid: u32) -> bool {
        self.fsgid == gid || self.groups.contains(&gid)
    }

    /// The credentials that `access` uses: the real ids.
    pub(crate) fn as_real(&self) -> Credentials {
        let mut real = self.clone();
        (real.fsuid, real.euid) = (self.uid, self.uid);
        (real.fsgid, real.egid) = (self.gid, self.gid);
        real
    }
}
