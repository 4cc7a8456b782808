//! Which system calls a program may make.
//!
//! Two filters. The first lets through what is known when this was written and answers `ENOSYS` to
//! everything else, so that a call added to the kernel later is not a hole, nor a call with the bit
//! of the x32 interface. The second, asked first, refuses with `EPERM` what no test program needs and
//! what attacks are made of. `clone3` hides its flags from filters; it is answered with `ENOSYS`, on
//! which every libc falls back to `clone`.

use std::collections::BTreeMap;
use std::io;
use std::os::fd::OwnedFd;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::process;

/// The end of the old, dense range of numbers (`rseq`).
const LAST_OLD: i64 = 334;

/// Later calls that are let through.
const LATER: &[i64] = &[
    libc::SYS_pidfd_send_signal,
    libc::SYS_pidfd_open,
    libc::SYS_close_range,
    libc::SYS_openat2,
    libc::SYS_faccessat2,
    libc::SYS_epoll_pwait2,
    libc::SYS_futex_waitv,
    libc::SYS_fchmodat2,
    451, // cachestat
    454, // futex_wake
    455, // futex_wait
    456, // futex_requeue
    libc::SYS_mseal,
];

/// Refused always.
const REFUSED: &[i64] = &[
    // Other processes and the kernel's view of them.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_pidfd_getfd,
    libc::SYS_process_madvise,
    libc::SYS_perf_event_open,
    libc::SYS_bpf,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Its requests are counted for the whole machine.
    libc::SYS_io_setup,
    libc::SYS_memfd_secret,
    libc::SYS_vmsplice,
    libc::SYS_lookup_dcookie,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    // Namespaces, roots and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_name_to_handle_at,
    457, // statmount
    458, // listmount
    459, // lsm_get_self_attr
    460, // lsm_set_self_attr
    461, // lsm_list_modules
    // Memory that is in no process, so that no limit counts it; it could also outlive the run.
    libc::SYS_memfd_create,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semctl,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    // Keys, modules, the machine.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_nfsservctl,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_uselib,
    libc::SYS_vhangup,
    libc::SYS_syslog,
    libc::SYS__sysctl,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
];

/// Refused where there are no namespaces: what Landlock does not see.
///
/// Attributes of any file of the user could be changed by path; sockets reach the network and the
/// host's services.
const REFUSED_ON_HOST: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_fchmodat,
    libc::SYS_fchmodat2,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_socket,
    libc::SYS_inotify_init,
    libc::SYS_inotify_init1,
];

/// Families of addresses that a network namespace confines and that programs use: `AF_UNIX`,
/// `AF_INET`, `AF_INET6`, `AF_NETLINK`. Others are not confined (virtual sockets reach the machine's
/// host), or are parts of the kernel that no test needs and that would be loaded for it.
const FAMILIES: [u64; 4] = [1, 2, 10, NETLINK];
const NETLINK: u64 = 16;

/// Protocols within `AF_INET` and `AF_INET6`: what goes by itself, TCP, UDP.
const PROTOCOLS: [u64; 3] = [0, 6, 17];

/// Calls on another process by an argument that is 0 for the caller: the call and the argument.
const ON_ANOTHER: &[(i64, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
];

/// Flags of clone(2) that make namespaces.
const NEW_NAMESPACES: [libc::c_int; 8] = [
    libc::CLONE_NEWNS,
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
    0x80, // CLONE_NEWTIME
];

/// The bit that shared mappings have, of both kinds.
const SHARED: u64 = 1;

/// `BPF_RET | BPF_K`, and the values that stand for tracing and for asking.
const RETURN: u16 = 0x06;
const TRACE: u32 = 0x7ff0_0000;
const ASK: u32 = 0x7fc0_0000;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Outcome<T> = Result<T, seccompiler::Error>;

/// The filters, compiled once and applied to every program.
#[derive(Clone)]
pub struct Filters(Vec<BpfProgram>);

/// What else confines the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surroundings {
    /// Namespaces of its own.
    Namespaces,
    /// The host's, with Landlock keeping signals inside.
    Host,
    /// The host's; Landlock is too old to know signals, so only signals to oneself are let through.
    HostWithoutSignals,
}

/// Who counts the memory of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counting {
    /// A control group: all of it.
    Group,
    /// We do: what we could not see is refused, or asked for.
    Ourselves,
}

impl Filters {
    /// Compiles them. `own` is the id of the process that the filters are for.
    pub fn new(surroundings: Surroundings, counting: Counting, own: u32) -> io::Result<Self> {
        let filters = || -> Outcome<Vec<BpfProgram>> {
            let mut refused = refused(surroundings, own)?;
            if counting == Counting::Ourselves {
                refuse_uncounted(&mut refused, surroundings)?;
            }
            Ok(vec![
                compile(known(), SeccompAction::Errno(libc::ENOSYS as u32), SeccompAction::Allow)?,
                compile(refused, SeccompAction::Allow, SeccompAction::Errno(libc::EPERM as u32))?,
            ])
        };
        filters().map(Self).map_err(io::Error::other)
    }

    /// Confines the calling process so that each shared mapping is asked for; the descriptor is where
    /// the questions come. Where the kernel does not let us ask, none is allowed.
    pub fn ask_for_shared_mappings() -> io::Result<Option<OwnedFd>> {
        let filter = |action| {
            let shared = rule(&[(3, SeccompCmpOp::MaskedEq(SHARED), SHARED)])?;
            let rules = Rules::from([(libc::SYS_mmap, vec![shared])]);
            compile(rules, SeccompAction::Allow, action)
        };
        // The library does not know the action that asks; it has this one's place.
        let mut asking = filter(SeccompAction::Trace(0)).map_err(io::Error::other)?;
        for instruction in asking.iter_mut().filter(|at| at.code == RETURN && at.k == TRACE) {
            instruction.k = ASK;
        }
        match process::apply_asking_filter(&asking) {
            Ok(listener) => Ok(Some(listener)),
            Err(_) => {
                let refusing = SeccompAction::Errno(libc::EPERM as u32);
                let filter = filter(refusing).map_err(io::Error::other)?;
                apply_filter(&filter).map_err(io::Error::other)?;
                Ok(None)
            }
        }
    }

    /// Confines the calling process, for good.
    pub fn apply(&self) -> io::Result<()> {
        self.0.iter().try_for_each(|filter| apply_filter(filter).map_err(io::Error::other))
    }
}

fn compile(rules: Rules, otherwise: SeccompAction, then: SeccompAction) -> Outcome<BpfProgram> {
    let filter = SeccompFilter::new(rules, otherwise, then, TargetArch::x86_64)?;
    Ok(filter.try_into()?)
}

fn known() -> Rules {
    let refused = [REFUSED, REFUSED_ON_HOST].concat();
    (0..=LAST_OLD).chain(LATER.iter().copied()).chain(refused).map(|call| (call, vec![])).collect()
}

fn refused(surroundings: Surroundings, own: u32) -> Outcome<Rules> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, vec![])).collect();
    let mut namespaces = Vec::new();
    for flag in NEW_NAMESPACES {
        let flag = flag as u64;
        namespaces.push(rule(&[(0, SeccompCmpOp::MaskedEq(flag), flag)])?);
    }
    rules.insert(libc::SYS_clone, namespaces);
    // Typing into a terminal, by two names; other line disciplines, which are modules of the kernel
    // that would be loaded.
    let terminal = [libc::TIOCSTI, libc::TIOCLINUX, libc::TIOCSETD]
        .map(|request| rule(&[(1, SeccompCmpOp::Eq, request)]));
    rules.insert(libc::SYS_ioctl, terminal.into_iter().collect::<Outcome<_>>()?);
    rules.insert(libc::SYS_socket, sockets()?);
    rules.insert(libc::SYS_socketpair, vec![rule(&[(0, SeccompCmpOp::Ne, libc::AF_UNIX as u64)])?]);
    if surroundings == Surroundings::Namespaces {
        return Ok(rules);
    }
    // One of a pair of datagram sockets can send to any other of the host by its name.
    let datagram = rule(&[(1, SeccompCmpOp::MaskedEq(0xf), libc::SOCK_DGRAM as u64)])?;
    rules.entry(libc::SYS_socketpair).or_default().push(datagram);
    rules.extend(REFUSED_ON_HOST.iter().map(|call| (*call, vec![])));
    for (call, argument) in ON_ANOTHER {
        rules.insert(*call, vec![rule(&[(*argument, SeccompCmpOp::Ne, 0)])?]);
    }
    // Priorities of all processes of the user.
    for (call, user) in [(libc::SYS_setpriority, libc::PRIO_USER as u64), (libc::SYS_ioprio_set, 3)]
    {
        rules.entry(call).or_default().push(rule(&[(0, SeccompCmpOp::Eq, user)])?);
    }
    // With no path, the file is the one that is open.
    let path = SeccompCondition::new(1, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    rules.insert(libc::SYS_utimensat, vec![SeccompRule::new(vec![path])?]);
    if surroundings == Surroundings::HostWithoutSignals {
        refuse_signals(&mut rules, own)?;
    }
    Ok(rules)
}

/// What holds memory that we could not count.
fn refuse_uncounted(rules: &mut Rules, surroundings: Surroundings) -> Outcome<()> {
    // Processes that share descriptors: one could change what the other is about to map.
    let (files, thread) = (libc::CLONE_FILES as u64, libc::CLONE_THREAD as u64);
    let sharing = rule(&[(0, SeccompCmpOp::MaskedEq(files | thread), files)])?;
    rules.entry(libc::SYS_clone).or_default().push(sharing);
    if surroundings != Surroundings::Namespaces {
        // There is no network namespace that says how many there are.
        rules.insert(libc::SYS_socketpair, vec![]);
    }
    Ok(())
}

/// Sockets that are refused everywhere.
fn sockets() -> Outcome<Vec<SeccompRule>> {
    use SeccompCmpOp::{Eq, Ne};
    let mut rules = vec![
        rule(&FAMILIES.map(|family| (0, Ne, family)))?,
        // Of the kernel's own services only the table of addresses and routes.
        rule(&[(0, Eq, NETLINK), (2, Ne, libc::NETLINK_ROUTE as u64)])?,
    ];
    for family in [libc::AF_INET, libc::AF_INET6] {
        let protocols = PROTOCOLS.map(|protocol| (2, Ne, protocol));
        rules.push(rule(&[&[(0, Eq, family as u64)][..], &protocols].concat())?);
    }
    Ok(rules)
}

fn refuse_signals(rules: &mut Rules, own: u32) -> Outcome<()> {
    let own = u64::from(own);
    let not_own = |argument| rule(&[(argument, SeccompCmpOp::Ne, own)]);
    // kill(0) is the own process group, which is new.
    let kill = rule(&[(0, SeccompCmpOp::Ne, own), (0, SeccompCmpOp::Ne, 0)])?;
    rules.insert(libc::SYS_kill, vec![kill]);
    rules.insert(libc::SYS_tgkill, vec![not_own(0)?]);
    rules.insert(libc::SYS_rt_sigqueueinfo, vec![not_own(0)?]);
    rules.insert(libc::SYS_rt_tgsigqueueinfo, vec![not_own(0)?]);
    rules.insert(libc::SYS_tkill, vec![not_own(0)?]);
    rules.insert(libc::SYS_pidfd_send_signal, vec![]);
    let owner = [libc::F_SETOWN, 15 /* F_SETOWN_EX */]
        .map(|command| rule(&[(1, SeccompCmpOp::Eq, command as u64)]));
    rules.insert(libc::SYS_fcntl, owner.into_iter().collect::<Outcome<_>>()?);
    // The same by the names that sockets and terminals have for it: `FIOSETOWN`, `SIOCSPGRP`.
    for request in [0x8901, 0x8902] {
        let rule = rule(&[(1, SeccompCmpOp::Eq, request)])?;
        rules.entry(libc::SYS_ioctl).or_default().push(rule);
    }
    Ok(())
}

/// All conditions together: argument, comparison, value; on the low 32 bits, as the kernel takes
/// these arguments.
fn rule(conditions: &[(u8, SeccompCmpOp, u64)]) -> Outcome<SeccompRule> {
    let condition = |(argument, operator, value): &(u8, SeccompCmpOp, u64)| {
        SeccompCondition::new(*argument, SeccompCmpArgLen::Dword, operator.clone(), *value)
    };
    let conditions = conditions.iter().map(condition).collect::<Result<Vec<_>, _>>()?;
    Ok(SeccompRule::new(conditions)?)
}
