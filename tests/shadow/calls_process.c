//@ domain: x=1
//@ undone: 62
// Calls on time, signals, limits and other processes, refused at each of their buffers.
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <sys/timerfd.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include "calls.h"

enum { ARCH_GET_FS = 0x1003 };

static int clockfd;
static char *page;

/* A child that has ended, a signal that waits, a timer that runs. */
static void set_up(unsigned call)
{
	sigset_t set;
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, 0);
	kill(getpid(), SIGUSR1);
	clockfd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	page = mmap(0, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[0] = 1;
	setrlimit(RLIMIT_NOFILE, &(struct rlimit){ 300, 400 });
	prctl(PR_SET_NAME, "before");
	if (call < 2 && !fork()) _exit(7);
}

/* What each of the calls leaves. */
static void show_rest(void)
{
	sigset_t set;
	sigpending(&set);
	printf("waiting %d%d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2));
	sigprocmask(SIG_BLOCK, 0, &set);
	printf("blocked %d%d%d\n", sigismember(&set, SIGUSR1), sigismember(&set, SIGUSR2), sigismember(&set, SIGHUP));
	struct sigaction action;
	sigaction(SIGHUP, 0, &action);
	printf("ignored %d\n", action.sa_handler == SIG_IGN);
	stack_t stack;
	sigaltstack(0, &stack);
	printf("stack %d\n", (int)stack.ss_size);
	struct itimerval timer;
	getitimer(ITIMER_REAL, &timer);
	printf("every %d s\n", (int)timer.it_interval.tv_sec);
	struct itimerspec armed;
	timerfd_gettime(clockfd, &armed);
	printf("and every %d s\n", (int)armed.it_interval.tv_sec);
	struct rlimit limit;
	getrlimit(RLIMIT_NOFILE, &limit);
	printf("files %d\n", (int)limit.rlim_cur);
	char name[16] = { 0 };
	prctl(PR_GET_NAME, name);
	printf("called %s, free is %d\n", name, dup(0));
	int status = 0;
	printf("child %d\n", waitpid(-1, &status, WNOHANG) > 0);
}

int main(void)
{
	unsigned call = choose();
	timer_t timer;
	set_up(call);
	switch (call) {
	case 0: say(syscall(SYS_wait4, -1, room(0), 0, room(1)) > 0); show(0, 4); break;
	case 1: CALL(waitid, P_ALL, 0, room(0), WEXITED, room(1)); printf("%d\n", ((siginfo_t *)room(0))->si_status); break;
	case 2: CALL(rt_sigaction, SIGHUP, WITH(0, long[4], { 1, 0x04000000, 0, 0 }), room(1), 8); show(1, 8); break;
	case 3: CALL(rt_sigprocmask, SIG_SETMASK, WITH(0, long, { 1 }), room(1), 8); show(1, 8); break;
	case 4: CALL(rt_sigpending, room(0), 8); show(0, 8); break;
	case 5: CALL(rt_sigtimedwait, WITH(0, long, { 1 << (SIGUSR1 - 1) }), room(1), WITH(2, struct timespec, { 0 }), 8); show(1, 4); break;
	case 6: CALL(sigaltstack, WITH(0, stack_t, { rooms[2], 0, 8192 }), room(1)); printf("%d\n", ((stack_t *)room(1))->ss_flags); break;
	case 7: CALL(getresuid, room(0), room(1), room(2)); printf("%d\n", !memcmp(room(0), room(1), 4) && !memcmp(room(1), room(2), 4)); break;
	case 8: CALL(getresgid, room(0), room(1), room(2)); printf("%d\n", !memcmp(room(0), room(1), 4) && !memcmp(room(1), room(2), 4)); break;
	case 9: CALL(prctl, PR_SET_NAME, with(0, "other", 6)); break;
	case 10: CALL(prctl, PR_GET_NAME, room(0)); break;
	case 11: CALL(prctl, PR_GET_PDEATHSIG, room(0)); show(0, 4); break;
	case 12: CALL(get_robust_list, 0, room(0), room(1)); show(1, 8); break;
	case 13: CALL(arch_prctl, ARCH_GET_FS, room(0)); break;
	case 14: CALL(mincore, page, PAGE, room(0)); show(0, 1); break;
	case 15: CALL(clock_gettime, CLOCK_REALTIME, room(0)); break;
	case 16: CALL(clock_getres, CLOCK_REALTIME, room(0)); show(0, 16); break;
	case 17: CALL(gettimeofday, room(0), room(1)); break;
	case 18: say(syscall(SYS_time, room(0)) > 0); break;
	case 19: CALL(nanosleep, WITH(0, struct timespec, { 0, 1 }), room(1)); break;
	case 20: CALL(clock_nanosleep, CLOCK_MONOTONIC, 0, WITH(0, struct timespec, { 0, 1 }), room(1)); break;
	case 21: CALL(setitimer, ITIMER_REAL, WITH(0, struct itimerval, { { 500, 0 }, { 400, 0 } }), room(1)); show(1, 16); break;
	case 22: CALL(getitimer, ITIMER_REAL, room(0)); show(0, 16); break;
	case 23: CALL(timer_create, CLOCK_MONOTONIC, WITH(0, struct sigevent, { .sigev_notify = SIGEV_NONE }), room(1)); show(1, 4); break;
	case 24: timer_create(CLOCK_MONOTONIC, 0, &timer); CALL(timer_settime, 0, 0, WITH(0, struct itimerspec, { { 500, 0 }, { 400, 0 } }), room(1)); show(1, 16); break;
	case 25: timer_create(CLOCK_MONOTONIC, 0, &timer); CALL(timer_gettime, 0, room(0)); show(0, 16); break;
	case 26: CALL(timerfd_settime, clockfd, 0, WITH(0, struct itimerspec, { { 500, 0 }, { 400, 0 } }), room(1)); show(1, 16); break;
	case 27: CALL(timerfd_gettime, clockfd, room(0)); show(0, 16); break;
	case 28: say(syscall(SYS_times, room(0)) > 0); break;
	case 29: CALL(getrusage, RUSAGE_SELF, room(0)); break;
	case 30: CALL(prlimit64, 0, RLIMIT_NOFILE, WITH(0, struct rlimit, { 100, 200 }), room(1)); break;
	case 31: CALL(getrlimit, RLIMIT_CORE, room(0)); break;
	case 32: CALL(setrlimit, RLIMIT_NOFILE, WITH(0, struct rlimit, { 100, 200 })); break;
	case 33: CALL(uname, room(0)); show(0, 5); break;
	case 34: CALL(sysinfo, room(0)); break;
	case 35: CALL(getrandom, room(0), 8, 0); break;
	case 36: say(syscall(SYS_sched_getaffinity, 0, 128, room(0)) > 0); break;
	case 37: CALL(sched_getparam, 0, room(0)); show(0, 4); break;
	case 38: CALL(getcpu, room(0), room(1), 0); break;
	case 39: CALL(capget, WITH(0, int[2], { 0x20080522, 0 }), room(1)); break;
	case 40: say(syscall(SYS_getgroups, ROOM / 4, room(0)) >= 0); break;
	case 41: CALL(rt_sigsuspend, room(0), 9); break;
	case 42: CALL(futex, WITH(0, int, { 3 }), 0, 4, 0, 0, 0); break;
	default: return 0;
	}
	show_rest();
	return 0;
}
