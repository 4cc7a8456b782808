//! Users, groups, process groups.

use crate::errno::Errno;
use crate::system::{Process, Reply, Stop, System};
use crate::user;
use umbra_engine::UserMemory;

/// "Leave it as it is", for the calls that set several ids.
const SAME: u32 = u32::MAX;
const MAX_GROUPS: u64 = 65_536;

impl System {
    pub(crate) fn setuid(&mut self, uid: u32) -> Reply {
        let ids = &mut self.process.credentials;
        if uid == SAME {
            return Err(Errno::EINVAL.into());
        }
        if ids.euid == 0 {
            (ids.uid, ids.suid) = (uid, uid);
        } else if uid != ids.uid && uid != ids.suid {
            return Err(Errno::EPERM.into());
        }
        (ids.euid, ids.fsuid) = (uid, uid);
        Ok(0)
    }

    pub(crate) fn setgid(&mut self, gid: u32) -> Reply {
        let ids = &mut self.process.credentials;
        if gid == SAME {
            return Err(Errno::EINVAL.into());
        }
        if ids.is_privileged() {
            (ids.gid, ids.sgid) = (gid, gid);
        } else if gid != ids.gid && gid != ids.sgid {
            return Err(Errno::EPERM.into());
        }
        (ids.egid, ids.fsgid) = (gid, gid);
        Ok(0)
    }

    pub(crate) fn setresuid(&mut self, new: [u32; 3]) -> Reply {
        let ids = &mut self.process.credentials;
        let old = [ids.uid, ids.euid, ids.suid];
        let allowed = |id: &u32| *id == SAME || old.contains(id);
        if !ids.is_privileged() && !new.iter().all(allowed) {
            return Err(Errno::EPERM.into());
        }
        let pick = |n: usize| if new[n] == SAME { old[n] } else { new[n] };
        (ids.uid, ids.euid, ids.suid) = (pick(0), pick(1), pick(2));
        ids.fsuid = ids.euid;
        Ok(0)
    }

    pub(crate) fn setresgid(&mut self, new: [u32; 3]) -> Reply {
        let ids = &mut self.process.credentials;
        let old = [ids.gid, ids.egid, ids.sgid];
        let allowed = |id: &u32| *id == SAME || old.contains(id);
        if !ids.is_privileged() && !new.iter().all(allowed) {
            return Err(Errno::EPERM.into());
        }
        let pick = |n: usize| if new[n] == SAME { old[n] } else { new[n] };
        (ids.gid, ids.egid, ids.sgid) = (pick(0), pick(1), pick(2));
        ids.fsgid = ids.egid;
        Ok(0)
    }

    pub(crate) fn setreuid(&mut self, uid: u32, euid: u32) -> Reply {
        let ids = &self.process.credentials;
        let saved = if uid != SAME || (euid != SAME && euid != ids.uid) { euid } else { SAME };
        let effective = if euid == SAME { ids.euid } else { euid };
        let saved = if saved == SAME && uid == SAME { SAME } else { effective };
        self.setresuid([uid, euid, saved])
    }

    pub(crate) fn setregid(&mut self, gid: u32, egid: u32) -> Reply {
        let ids = &self.process.credentials;
        let effective = if egid == SAME { ids.egid } else { egid };
        let changes = gid != SAME || (egid != SAME && egid != ids.gid);
        self.setresgid([gid, egid, if changes { effective } else { SAME }])
    }

    pub(crate) fn put_ids(
        &mut self,
        memory: &mut dyn UserMemory,
        ids: [u32; 3],
        addresses: [u64; 3],
    ) -> Reply {
        for (id, address) in ids.into_iter().zip(addresses) {
            user::put(memory, address, &id.to_le_bytes())?;
        }
        Ok(0)
    }

    pub(crate) fn getgroups(&mut self, memory: &mut dyn UserMemory, size: i32, list: u64) -> Reply {
        let groups = self.process.credentials.groups.clone();
        if size < 0 {
            return Err(Errno::EINVAL.into());
        }
        if size > 0 {
            if (size as usize) < groups.len() {
                return Err(Errno::EINVAL.into());
            }
            let bytes: Vec<u8> = groups.iter().flat_map(|gid| gid.to_le_bytes()).collect();
            user::put(memory, list, &bytes)?;
        }
        Ok(groups.len() as i64)
    }

    pub(crate) fn setgroups(&mut self, memory: &mut dyn UserMemory, size: u64, list: u64) -> Reply {
        if !self.process.credentials.is_privileged() {
            return Err(Errno::EPERM.into());
        }
        if size > MAX_GROUPS {
            return Err(Errno::EINVAL.into());
        }
        let mut groups = Vec::new();
        for n in 0..size {
            groups.push(user::u32_at(memory, list.wrapping_add(n * 4))?);
        }
        groups.sort_unstable();
        self.process.credentials.groups = groups.into();
        Ok(0)
    }

    /// `setfsuid` and `setfsgid` answer the value of before, whether or not they set anything.
    pub(crate) fn setfsid(&mut self, id: u32, group: bool) -> Reply {
        let ids = &mut self.process.credentials;
        let known =
            if group { [ids.gid, ids.egid, ids.sgid] } else { [ids.uid, ids.euid, ids.suid] };
        let allowed = id != SAME && (ids.is_privileged() || known.contains(&id));
        let slot = if group { &mut ids.fsgid } else { &mut ids.fsuid };
        let before = *slot;
        if allowed {
            *slot = id;
        }
        Ok(i64::from(before))
    }

    pub(crate) fn setpgid(&mut self, pid: i32, pgid: i32) -> Reply {
        if pgid < 0 {
            return Err(Errno::EINVAL.into());
        }
        let own = self.process.pid;
        if self.family.has_zombie(pid) {
            return Ok(0);
        }
        if pid != 0 && pid != own {
            return Err(Errno::ESRCH.into());
        }
        let pgid = if pgid == 0 { own } else { pgid };
        if self.process.sid == own || (pgid != own && pgid != self.process.pgid) {
            return Err(Errno::EPERM.into());
        }
        self.process.pgid = pgid;
        Ok(0)
    }

    pub(crate) fn setsid(&mut self) -> Reply {
        let own = self.process.pid;
        if self.process.pgid == own {
            return Err(Errno::EPERM.into());
        }
        (self.process.pgid, self.process.sid) = (own, own);
        Ok(i64::from(own))
    }

    /// `getpgid` and `getsid`.
    pub(crate) fn group_of(&mut self, pid: i32, of: impl Fn(&Process) -> i32) -> Reply {
        if pid == 0 || pid == self.process.pid {
            return Ok(i64::from(of(&self.process)));
        }
        match self.family.process(pid) {
            Some(process) => Ok(i64::from(of(process))),
            None if pid == self.process.ppid || pid == 1 => {
                Err(Stop::unsupported("the group or session of another process"))
            }
            None => Err(Errno::ESRCH.into()),
        }
    }

    /// `capget`: all capabilities for root, none for others.
    pub(crate) fn capget(&mut self, memory: &mut dyn UserMemory, header: u64, data: u64) -> Reply {
        const VERSION_3: u32 = 0x2008_0522;
        const ALL: [u32; 2] = [u32::MAX, 0x1ff];
        if user::u32_at(memory, header)? != VERSION_3 {
            user::put(memory, header, &VERSION_3.to_le_bytes())?;
            return if data == 0 { Ok(0) } else { Err(Errno::EINVAL.into()) };
        }
        let mask = if self.process.credentials.is_privileged() { ALL } else { [0; 2] };
        let words: Vec<u8> =
            mask.iter().flat_map(|word| [*word, *word, 0]).flat_map(u32::to_le_bytes).collect();
        user::put_optional(memory, data, &words)?;
        Ok(0)
    }
}
