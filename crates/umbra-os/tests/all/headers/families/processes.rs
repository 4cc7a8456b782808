//! Flags of processes, signals, time and the system.

use super::super::row::{Word, bits, call, cut, numbers, value};
use super::{Family, tried, tried_of};
use Word::{
    Buffer, Changed, Child, File, Ints, Longs, Number, Out, Own, Page, Result, Text, Tried,
};

const ZERO: Word = Number(0);
const ONE: Word = Number(1);
const EIGHT: Word = Number(8);
const USR1: Word = Number(libc::SIGUSR1 as i64);
/// Signal number one as a set.
const HUP: Word = Longs(&[ONE]);

pub(super) const FAMILIES: &[Family] = &[
    tried(
        &["SCHED_"],
        &[
            numbers(&[value(libc::SYS_sched_get_priority_max, &[Tried(0)])]),
            numbers(&[value(libc::SYS_sched_get_priority_min, &[Tried(0)])]),
            numbers(&[value(libc::SYS_sched_setscheduler, &[ZERO, Tried(0), Ints(&[ZERO])])]),
            numbers(&[value(libc::SYS_sched_setscheduler, &[ZERO, Tried(0), Ints(&[ONE])])]),
        ],
    ),
    tried(
        &["CLONE_", "CSIGNAL"],
        &[
            bits(&[call(libc::SYS_clone, &[Tried(libc::SIGCHLD as i64), ZERO, ZERO, ZERO, ZERO])]),
            cut(&[value(libc::SYS_unshare, &[Tried(0)])]),
            cut(&[value(libc::SYS_setns, &[File, Tried(0)])]),
        ],
    ),
    tried(
        &["SIG_BLOCK", "SIG_UNBLOCK", "SIG_SETMASK"],
        &[
            numbers(&[
                value(libc::SYS_rt_sigprocmask, &[Tried(0), HUP, Out(8), EIGHT]),
                value(libc::SYS_rt_sigprocmask, &[ZERO, ZERO, Out(8), EIGHT]),
            ]),
            numbers(&[value(libc::SYS_rt_sigprocmask, &[Tried(0), ZERO, Out(8), EIGHT])]),
        ],
    ),
    tried(
        &["SIG_DFL", "SIG_IGN", "SIG_ERR", "SIG_HOLD"],
        &[numbers(&[
            value(
                libc::SYS_rt_sigaction,
                &[USR1, Longs(&[Tried(0), ZERO, ZERO, ZERO]), ZERO, EIGHT],
            ),
            value(libc::SYS_rt_sigaction, &[USR1, ZERO, Out(32), EIGHT]),
        ])],
    ),
    tried(
        &["SA_"],
        &[
            bits(&[
                value(
                    libc::SYS_rt_sigaction,
                    &[USR1, Longs(&[ONE, Tried(0), ZERO, Number(5)]), Out(32), EIGHT],
                ),
                value(libc::SYS_rt_sigaction, &[USR1, ZERO, Out(32), EIGHT]),
            ]),
            bits(&[
                value(
                    libc::SYS_rt_sigaction,
                    &[
                        Number(libc::SIGCHLD as i64),
                        Longs(&[ZERO, Tried(0), ZERO, ZERO]),
                        Out(32),
                        EIGHT,
                    ],
                ),
                call(libc::SYS_getpgid, &[Child]),
                call(libc::SYS_wait4, &[Number(-1), ZERO, ZERO, ZERO]),
            ]),
        ],
    ),
    tried(
        &["SIG"],
        &[
            numbers(&[value(libc::SYS_kill, &[Own, Tried(0)])]),
            numbers(&[value(libc::SYS_tgkill, &[Own, Own, Tried(0)])]),
            numbers(&[
                value(libc::SYS_rt_sigprocmask, &[ZERO, Longs(&[Number(-1)]), ZERO, EIGHT]),
                value(libc::SYS_kill, &[Own, Tried(0)]),
                value(libc::SYS_rt_sigpending, &[Out(8), EIGHT]),
                value(
                    libc::SYS_rt_sigtimedwait,
                    &[Longs(&[Number(-1)]), ZERO, Longs(&[ZERO, ZERO]), EIGHT],
                ),
            ]),
            numbers(&[
                value(
                    libc::SYS_rt_sigaction,
                    &[Tried(0), Longs(&[ONE, ZERO, ZERO, ZERO]), Out(32), EIGHT],
                ),
                value(libc::SYS_kill, &[Own, Tried(0)]),
            ]),
            numbers(&[
                value(libc::SYS_prctl, &[Number(libc::PR_SET_PDEATHSIG as i64), Tried(0)]),
                value(libc::SYS_prctl, &[Number(libc::PR_GET_PDEATHSIG as i64), Out(8)]),
            ]),
        ],
    ),
    tried(
        &["SIGEV_"],
        &[
            numbers(&[value(
                libc::SYS_timer_create,
                &[ONE, Ints(&[ZERO, ZERO, USR1, Tried(0), ZERO]), Out(4)],
            )]),
            numbers(&[value(
                libc::SYS_timer_create,
                &[ONE, Ints(&[ZERO, ZERO, ZERO, Tried(0), ZERO]), Out(4)],
            )]),
        ],
    ),
    tried(
        &["SS_"],
        &[bits(&[
            value(libc::SYS_sigaltstack, &[Longs(&[Page, Tried(0), Number(8192)]), ZERO]),
            call(libc::SYS_sigaltstack, &[ZERO, Buffer]),
        ])],
    ),
    tried(
        &["CLOCK_"],
        &[
            numbers(&[value(libc::SYS_clock_gettime, &[Tried(0), Buffer])]),
            numbers(&[value(libc::SYS_clock_getres, &[Tried(0), Buffer])]),
            numbers(&[value(libc::SYS_clock_nanosleep, &[Tried(0), ZERO, Buffer, ZERO])]),
            numbers(&[
                value(libc::SYS_timer_create, &[Tried(0), ZERO, Out(4)]),
                value(libc::SYS_timer_gettime, &[ZERO, Out(32)]),
                value(libc::SYS_timer_getoverrun, &[ZERO]),
                value(libc::SYS_timer_delete, &[ZERO]),
                value(libc::SYS_timer_delete, &[ZERO]),
                value(libc::SYS_timer_gettime, &[ZERO, Buffer]),
            ]),
            numbers(&[
                value(libc::SYS_timerfd_create, &[Tried(0), ZERO]),
                value(libc::SYS_timerfd_gettime, &[Result(0), Out(32)]),
            ]),
        ],
    ),
    tried(
        &["TIMER_"],
        &[
            bits(&[value(libc::SYS_clock_nanosleep, &[ONE, Tried(0), Buffer, ZERO])]),
            bits(&[value(libc::SYS_clock_nanosleep, &[ZERO, Tried(0), Buffer, ZERO])]),
            bits(&[
                value(libc::SYS_timer_create, &[ONE, ZERO, Out(4)]),
                value(
                    libc::SYS_timer_settime,
                    &[ZERO, Tried(0), Longs(&[ZERO, ZERO, Number(1 << 40), ZERO]), Buffer],
                ),
            ]),
        ],
    ),
    tried(
        &["ITIMER_"],
        &[
            numbers(&[value(libc::SYS_getitimer, &[Tried(0), Out(32)])]),
            numbers(&[
                value(
                    libc::SYS_setitimer,
                    &[Tried(0), Longs(&[Number(7), ZERO, Number(1000), ZERO]), Out(32)],
                ),
                value(libc::SYS_setitimer, &[Tried(0), Buffer, Buffer]),
                value(libc::SYS_getitimer, &[Tried(0), Out(32)]),
            ]),
        ],
    ),
    tried_of(
        "sys/timex.h",
        &["ADJ_", "MOD_", "STA_", "TIME_", "MAXTC"],
        &[
            cut(&[value(libc::SYS_adjtimex, &[Ints(&[Tried(0)])])]),
            cut(&[value(libc::SYS_clock_adjtime, &[ZERO, Ints(&[Tried(0)])])]),
        ],
    ),
    tried(
        &["W"],
        &[
            bits(&[value(libc::SYS_wait4, &[ONE, ZERO, Tried(0), ZERO])]),
            bits(&[call(libc::SYS_wait4, &[Child, Out(4), Tried(0), ZERO])]),
            bits(&[value(libc::SYS_waitid, &[ONE, ONE, Buffer, Tried(4), ZERO])]),
            bits(&[value(libc::SYS_waitid, &[ONE, ONE, Buffer, Tried(0), ZERO])]),
            bits(&[
                call(libc::SYS_waitid, &[ONE, Child, Out(12), Tried(4), ZERO]),
                call(libc::SYS_waitid, &[ONE, Child, Out(12), Tried(4), ZERO]),
            ]),
        ],
    ),
    tried(
        &["PR_"],
        &[
            numbers(&[value(libc::SYS_prctl, &[Tried(0), ZERO, ZERO, ZERO, ZERO])]),
            numbers(&[value(libc::SYS_prctl, &[Tried(0), ONE, ZERO, ZERO, ZERO])]),
            numbers(&[value(libc::SYS_prctl, &[Tried(0), ONE, ONE, ONE, ONE])]),
            numbers(&[value(libc::SYS_prctl, &[Tried(0), Number(-1), ZERO, ZERO, ZERO])]),
            numbers(&[value(libc::SYS_prctl, &[Tried(0), Out(4), ZERO, ZERO, ZERO])])
                .except(&[(libc::PR_GET_NAME as i64, "the names of the two processes differ")]),
        ],
    ),
    tried(
        &["PRIO_"],
        &[
            numbers(&[value(libc::SYS_getpriority, &[Tried(0), ZERO])])
                .except(&[(2, "other processes of the user count")]),
            numbers(&[value(libc::SYS_setpriority, &[Tried(0), ZERO, Number(3)])])
                .except(OTHER_PROCESSES),
            numbers(&[
                value(libc::SYS_setpriority, &[ZERO, ZERO, Tried(0)]),
                value(libc::SYS_getpriority, &[ZERO, ZERO]),
            ]),
        ],
    ),
    tried(&["RUSAGE_"], &[numbers(&[value(libc::SYS_getrusage, &[Tried(0), Buffer])])]),
    tried(
        &["RLIMIT_"],
        &[
            numbers(&[value(libc::SYS_getrlimit, &[Tried(0), Buffer])]),
            numbers(&[
                value(libc::SYS_setrlimit, &[Tried(0), Longs(&[ZERO, ZERO])]),
                value(libc::SYS_getrlimit, &[Tried(0), Out(16)]),
            ]),
            numbers(&[value(
                libc::SYS_prlimit64,
                &[ZERO, Tried(0), Longs(&[Number(9), Number(8)]), ZERO],
            )]),
        ],
    ),
    tried(
        &["RLIM_"],
        &[numbers(&[
            value(
                libc::SYS_setrlimit,
                &[Number(libc::RLIMIT_CORE as i64), Longs(&[Tried(0), Number(-1)])],
            ),
            value(libc::SYS_getrlimit, &[Number(libc::RLIMIT_CORE as i64), Out(16)]),
        ])],
    ),
    tried(
        &["MEMBARRIER_"],
        &[
            numbers(&[value(libc::SYS_membarrier, &[Tried(0), ZERO, ZERO])]),
            numbers(&[
                value(libc::SYS_membarrier, &[Number(16), ZERO, ZERO]),
                value(libc::SYS_membarrier, &[Tried(0), ZERO, ZERO]),
            ]),
            cut(&[value(libc::SYS_membarrier, &[Number(8), Tried(1), ZERO])]),
        ],
    ),
    tried_of(
        "sys/personality.h",
        &["UNAME26", "ADDR_", "FDPIC_", "MMAP_", "READ_", "SHORT_", "WHOLE_", "STICKY_", "PER_"],
        &[numbers(&[value(libc::SYS_personality, &[Tried(0)])])],
    ),
    tried(&["PTRACE_", "PT_"], &[cut(&[value(libc::SYS_ptrace, &[Tried(0), Own, ZERO, ZERO])])]),
    tried(&["RB_"], &[cut(&[value(libc::SYS_reboot, &[ZERO, ZERO, Tried(0), ZERO])])]),
    tried(&["GRND_"], &[bits(&[value(libc::SYS_getrandom, &[Buffer, EIGHT, Tried(0)])])]),
    tried(
        &["IPC_", "SEM_", "GET", "SET"],
        &[
            cut(&[value(libc::SYS_semget, &[ZERO, ONE, Tried(0)])]),
            cut(&[value(libc::SYS_semctl, &[ZERO, ZERO, Tried(0), ZERO])]),
            cut(&[value(libc::SYS_msgget, &[Tried(0), ZERO])]),
        ],
    ),
    tried_of(
        "sys/msg.h",
        &["MSG_"],
        &[
            cut(&[value(libc::SYS_msgrcv, &[ZERO, Buffer, EIGHT, ZERO, Tried(0)])]),
            cut(&[value(libc::SYS_msgctl, &[ZERO, Tried(0), ZERO])]),
        ],
    ),
    tried(&["SFD_"], &[cut(&[value(libc::SYS_signalfd4, &[Number(-1), HUP, EIGHT, Tried(0)])])]),
    Family::Unnamed {
        title: "FUTEX_",
        rows: &[
            numbers(&[value(
                libc::SYS_futex,
                &[Ints(&[ONE]), Tried(0), ZERO, Longs(&[ZERO, ZERO]), ZERO, ZERO],
            )])
            .except(COUNTED),
            numbers(&[value(
                libc::SYS_futex,
                &[Ints(&[ZERO]), Tried(0), ZERO, Longs(&[ZERO, ZERO]), Ints(&[ZERO]), ONE],
            )])
            .except(COUNTED),
            numbers(&[value(
                libc::SYS_futex,
                &[Ints(&[ZERO]), Tried(0), ONE, ONE, Ints(&[ZERO]), ZERO],
            )]),
            numbers(&[value(
                libc::SYS_futex,
                &[Ints(&[ZERO]), Tried(0), ONE, Number(-1), Ints(&[ZERO]), ZERO],
            )]),
            bits(&[value(libc::SYS_futex, &[Ints(&[ZERO]), Tried(1), ZERO, ZERO, ZERO, ZERO])]),
        ],
    },
    Family::Unnamed {
        title: "arch_prctl",
        rows: &[numbers(&[value(libc::SYS_arch_prctl, &[Tried(0x1000), Buffer])])
            .except(&[(1, "takes the place of thread-local storage"), (2, "the same")])],
    },
    Family::Unnamed {
        title: "names",
        rows: &[numbers(&[
            value(libc::SYS_prctl, &[Number(libc::PR_SET_NAME as i64), Text("name")]),
            value(libc::SYS_prctl, &[Number(libc::PR_GET_NAME as i64), Changed(&[Tried(0), ZERO])]),
        ])],
    },
];

const OTHER_PROCESSES: &[(i64, &str)] =
    &[(1, "other processes of the group would get it"), (2, "other processes of the user would")];
const COUNTED: &[(i64, &str)] =
    &[(3, "takes a number and not an address"), (4, "takes a number and not an address")];
