//! What is answered to the system calls that have no model.
//!
//! Every number is in exactly one of three places: it has a model in `dispatch/`; Linux answers it
//! with `ENOSYS` whatever it is given; or the path that makes it ends here and says so. A number
//! that is none of these is newer than this table, and ends the path too.

use crate::errno::Errno;
use crate::system::{Reply, Stop, System};
use umbra_engine::Answer;

/// Calls that Linux has given up, or never had on this machine.
const GONE: &[i64] = &[
    libc::SYS_uselib,
    libc::SYS__sysctl,
    CREATE_MODULE,
    GET_KERNEL_SYMS,
    QUERY_MODULE,
    libc::SYS_nfsservctl,
    libc::SYS_getpmsg,
    libc::SYS_putpmsg,
    libc::SYS_afs_syscall,
    libc::SYS_tuxcall,
    libc::SYS_security,
    libc::SYS_set_thread_area,
    libc::SYS_get_thread_area,
    libc::SYS_epoll_ctl_old,
    libc::SYS_epoll_wait_old,
    libc::SYS_vserver,
];

/// Numbers that belong to no call.
const UNUSED: &[std::ops::RangeInclusive<u64>] = &[337..=423, 512..=u64::MAX];

/// Calls that end the path.
const CUT: &[i64] = &[
    // Other processes, threads, and what they share.
    libc::SYS_clone3,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
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
    libc::SYS_mq_timedsend,
    libc::SYS_mq_timedreceive,
    libc::SYS_mq_notify,
    libc::SYS_mq_getsetattr,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_process_mrelease,
    libc::SYS_kcmp,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_futex_waitv,
    FUTEX_WAKE,
    FUTEX_WAIT,
    FUTEX_REQUEUE,
    libc::SYS_rseq,
    // Signals in ways that are not modelled.
    libc::SYS_rt_sigreturn,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_restart_syscall,
    libc::SYS_signalfd,
    libc::SYS_signalfd4,
    // Waiting for many descriptors, and for transfers.
    libc::SYS_epoll_create,
    libc::SYS_epoll_create1,
    libc::SYS_epoll_ctl,
    libc::SYS_epoll_wait,
    libc::SYS_epoll_pwait,
    libc::SYS_epoll_pwait2,
    libc::SYS_io_setup,
    libc::SYS_io_destroy,
    libc::SYS_io_getevents,
    libc::SYS_io_submit,
    libc::SYS_io_cancel,
    IO_PGETEVENTS,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    // Transfers.
    libc::SYS_splice,
    libc::SYS_tee,
    libc::SYS_vmsplice,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_setsockopt,
    // Memory.
    libc::SYS_mlock2,
    libc::SYS_remap_file_pages,
    libc::SYS_pkey_mprotect,
    libc::SYS_pkey_alloc,
    libc::SYS_pkey_free,
    libc::SYS_mbind,
    libc::SYS_set_mempolicy,
    libc::SYS_get_mempolicy,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_set_mempolicy_home_node,
    libc::SYS_memfd_secret,
    libc::SYS_userfaultfd,
    CACHESTAT,
    MAP_SHADOW_STACK,
    MSEAL,
    // Files and file systems.
    libc::SYS_getdents,
    libc::SYS_ustat,
    libc::SYS_sysfs,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    STATMOUNT,
    LISTMOUNT,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_fanotify_init,
    libc::SYS_fanotify_mark,
    libc::SYS_lookup_dcookie,
    SETXATTRAT,
    GETXATTRAT,
    LISTXATTRAT,
    REMOVEXATTRAT,
    // The system, its clock, keys, and what only its owner may do.
    libc::SYS_syslog,
    libc::SYS_acct,
    libc::SYS_vhangup,
    libc::SYS_modify_ldt,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_reboot,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_capset,
    libc::SYS_seccomp,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_landlock_create_ruleset,
    libc::SYS_landlock_add_rule,
    libc::SYS_landlock_restrict_self,
    LSM_GET_SELF_ATTR,
    LSM_SET_SELF_ATTR,
    LSM_LIST_MODULES,
    URETPROBE,
    UPROBE,
    OPEN_TREE_ATTR,
    FILE_GETATTR,
    FILE_SETATTR,
    // Scheduling.
    libc::SYS_sched_setparam,
    libc::SYS_sched_rr_get_interval,
    libc::SYS_sched_setattr,
    libc::SYS_sched_getattr,
    libc::SYS_ioprio_set,
    libc::SYS_ioprio_get,
];

// Older or newer than the constants of the C library.
const CREATE_MODULE: i64 = 174;
const GET_KERNEL_SYMS: i64 = 177;
const QUERY_MODULE: i64 = 178;
const IO_PGETEVENTS: i64 = 333;
const CACHESTAT: i64 = 451;
const MAP_SHADOW_STACK: i64 = 453;
const FUTEX_WAKE: i64 = 454;
const FUTEX_WAIT: i64 = 455;
const FUTEX_REQUEUE: i64 = 456;
const STATMOUNT: i64 = 457;
const LISTMOUNT: i64 = 458;
const LSM_GET_SELF_ATTR: i64 = 459;
const LSM_SET_SELF_ATTR: i64 = 460;
const LSM_LIST_MODULES: i64 = 461;
const MSEAL: i64 = 462;
const SETXATTRAT: i64 = 463;
const GETXATTRAT: i64 = 464;
const LISTXATTRAT: i64 = 465;
const REMOVEXATTRAT: i64 = 466;
const URETPROBE: i64 = 335;
const UPROBE: i64 = 336;
const OPEN_TREE_ATTR: i64 = 467;
const FILE_GETATTR: i64 = 468;
const FILE_SETATTR: i64 = 469;

impl System {
    /// The end of a call that has no model.
    pub(crate) fn unmodelled(&self, number: u64) -> Reply {
        let call = number as i64;
        if GONE.contains(&call) || UNUSED.iter().any(|range| range.contains(&number)) {
            return Err(Errno::ENOSYS.into());
        }
        let name = match syscalls::Sysno::new(number as usize) {
            Some(sysno) if CUT.contains(&call) => sysno.name().to_owned(),
            None if CUT.contains(&call) => format!("system call {number}"),
            _ => format!("unknown system call {number}"),
        };
        Err(Stop::Answer(Box::new(Answer::Unsupported(name))))
    }
}
