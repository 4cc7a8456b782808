//! Time, limits, sockets, and what the system is.

use super::Row;
use crate::system::Stop;
use crate::user;

pub(super) const CALLS: &[Row] = &[
    (libc::SYS_clock_gettime, |system, memory, [a, b, ..]| {
        system.clock_gettime(memory, a as i32, b)
    }),
    (libc::SYS_clock_getres, |system, memory, [a, b, ..]| system.clock_getres(memory, a as i32, b)),
    (libc::SYS_clock_settime, |system, memory, [a, b, ..]| {
        system.clock_settime(memory, a as i32, b)
    }),
    (libc::SYS_gettimeofday, |system, memory, [a, b, ..]| system.gettimeofday(memory, a, b)),
    (libc::SYS_settimeofday, |system, memory, [a, ..]| system.settimeofday(memory, a)),
    (libc::SYS_time, |system, memory, [a, ..]| system.time(memory, a)),
    (libc::SYS_nanosleep, |system, memory, [a, b, ..]| {
        system.clock_nanosleep(memory, libc::CLOCK_MONOTONIC, 0, a, b)
    }),
    (libc::SYS_clock_nanosleep, |system, memory, [a, b, c, d, ..]| {
        system.clock_nanosleep(memory, a as i32, b as i32, c, d)
    }),
    (libc::SYS_alarm, |system, _, [a, ..]| system.alarm(a as u32)),
    (libc::SYS_setitimer, |system, memory, [a, b, c, ..]| system.setitimer(memory, a as i32, b, c)),
    (libc::SYS_getitimer, |system, memory, [a, b, ..]| system.getitimer(memory, a as i32, b)),
    (libc::SYS_timer_create, |system, memory, [a, b, c, ..]| {
        system.timer_create(memory, a as i32, b, c)
    }),
    (libc::SYS_timer_settime, |system, memory, [a, b, c, d, ..]| {
        system.timer_settime(memory, a as i32, b as i32, c, d)
    }),
    (libc::SYS_timer_gettime, |system, memory, [a, b, ..]| {
        system.timer_gettime(memory, a as i32, b)
    }),
    (libc::SYS_timer_delete, |system, _, [a, ..]| system.timer_delete(a as i32)),
    (libc::SYS_timer_getoverrun, |system, _, [a, ..]| system.timer_getoverrun(a as i32)),
    (libc::SYS_times, |system, memory, [a, ..]| system.times(memory, a)),
    (libc::SYS_getrusage, |system, memory, [a, b, ..]| system.getrusage(memory, a as i32, b)),
    (libc::SYS_getrlimit, |system, memory, [a, b, ..]| system.prlimit64(memory, 0, a as u32, 0, b)),
    (libc::SYS_setrlimit, |system, memory, [a, b, ..]| system.prlimit64(memory, 0, a as u32, b, 0)),
    (libc::SYS_prlimit64, |system, memory, [a, b, c, d, ..]| {
        system.prlimit64(memory, a as i32, b as u32, c, d)
    }),
    (libc::SYS_uname, |system, memory, [a, ..]| system.uname(memory, a)),
    (libc::SYS_sysinfo, |system, memory, [a, ..]| system.sysinfo(memory, a)),
    (libc::SYS_sethostname, |system, _, _| system.sethostname()),
    (libc::SYS_setdomainname, |system, _, _| system.sethostname()),
    (libc::SYS_getrandom, |system, memory, [a, b, c, ..]| system.getrandom(memory, a, b, c as u32)),
    (libc::SYS_sched_getaffinity, |system, memory, [a, b, c, ..]| {
        system.sched_getaffinity(memory, a as i32, b & 0xffff_ffff, c)
    }),
    (libc::SYS_sched_setaffinity, |system, memory, [a, b, c, ..]| {
        system.sched_setaffinity(memory, a as i32, b, c)
    }),
    (libc::SYS_sched_yield, |_, _, _| Ok(0)),
    (libc::SYS_sched_getscheduler, |system, _, [a, ..]| system.sched_getscheduler(a as i32)),
    (libc::SYS_sched_setscheduler, |system, memory, [a, b, c, ..]| {
        system.sched_setscheduler(memory, a as i32, b as i32, c)
    }),
    (libc::SYS_sched_getparam, |system, memory, [a, b, ..]| {
        system.sched_getparam(memory, a as i32, b)
    }),
    (libc::SYS_sched_get_priority_max, |system, _, [a, ..]| system.sched_priority(a as i32, 99)),
    (libc::SYS_sched_get_priority_min, |system, _, [a, ..]| system.sched_priority(a as i32, 1)),
    (libc::SYS_getcpu, |_, memory, [a, b, ..]| {
        let zero = [0; 4];
        user::put_optional(memory, a, &zero)
            .and_then(|()| user::put_optional(memory, b, &zero))
            .map(|()| 0)
            .map_err(Stop::from)
    }),
    (libc::SYS_getpriority, |system, _, [a, b, ..]| system.getpriority(a as i32, b as i32)),
    (libc::SYS_setpriority, |system, _, [a, b, c, ..]| {
        system.setpriority(a as i32, b as i32, c as i32)
    }),
    (libc::SYS_inotify_init, |system, _, _| system.inotify_init(0)),
    (libc::SYS_inotify_init1, |system, _, [a, ..]| system.inotify_init(a as i32)),
    (libc::SYS_inotify_add_watch, |system, memory, [a, b, c, ..]| {
        system.inotify_add_watch(memory, a as i32, b, c as u32)
    }),
    (libc::SYS_inotify_rm_watch, |system, _, [a, b, ..]| {
        system.inotify_rm_watch(a as i32, b as i32)
    }),
    (libc::SYS_eventfd, |system, _, [a, ..]| system.eventfd(a as u32, 0)),
    (libc::SYS_eventfd2, |system, _, [a, b, ..]| system.eventfd(a as u32, b as i32)),
    (libc::SYS_timerfd_create, |system, _, [a, b, ..]| system.timerfd_create(a as i32, b as i32)),
    (libc::SYS_timerfd_settime, |system, memory, [a, b, c, d, ..]| {
        system.timerfd_settime(memory, a as i32, b as i32, [c, d])
    }),
    (libc::SYS_timerfd_gettime, |system, memory, [a, b, ..]| {
        system.timerfd_gettime(memory, a as i32, b)
    }),
    (libc::SYS_memfd_create, |system, memory, [a, b, ..]| system.memfd_create(memory, a, b as u32)),
    (libc::SYS_socket, |system, _, [a, b, c, ..]| system.socket(a as i32, b as i32, c as i32)),
    (libc::SYS_socketpair, |system, memory, [a, b, c, d, ..]| {
        system.socketpair(memory, [a as i32, b as i32, c as i32], d)
    }),
    (libc::SYS_connect, |system, memory, [a, b, c, ..]| system.connect(memory, a as i32, b, c)),
    (libc::SYS_sendto, |system, memory, arguments| {
        system.socket_transfer(memory, false, arguments)
    }),
    (libc::SYS_recvfrom, |system, memory, arguments| {
        system.socket_transfer(memory, true, arguments)
    }),
    (libc::SYS_sendmsg, |system, memory, [a, b, c, ..]| {
        system.transfer_message(memory, false, [a, b, c])
    }),
    (libc::SYS_recvmsg, |system, memory, [a, b, c, ..]| {
        system.transfer_message(memory, true, [a, b, c])
    }),
    (libc::SYS_shutdown, |system, _, [a, b, ..]| system.shutdown(a as i32, b as i32)),
    (libc::SYS_getsockname, |system, memory, [a, b, c, ..]| {
        system.socket_name(memory, a as i32, [b, c], false)
    }),
    (libc::SYS_getpeername, |system, memory, [a, b, c, ..]| {
        system.socket_name(memory, a as i32, [b, c], true)
    }),
    (libc::SYS_getsockopt, |system, memory, arguments| system.getsockopt(memory, arguments)),
];
