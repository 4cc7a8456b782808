/* Cancellation points: the system call itself is native code (native/syscall_cp.S), between whose
 * labels the signal handler of pthread_cancel looks for the program counter. That a thread is
 * cancelled already is seen here too, for an analysis to which the call is only a call. */
#include <stddef.h>
#include "pthread_impl.h"
#include "syscall.h"

hidden long __cancel(void);
long __umbra_syscall_cp(long, long, long, long, long, long, long);

_Static_assert(offsetof(struct pthread, cancel) == 60, "native/syscall_cp.S has this number");

hidden long __syscall_cp_asm(volatile void *cancel, syscall_arg_t n,
	syscall_arg_t a, syscall_arg_t b, syscall_arg_t c,
	syscall_arg_t d, syscall_arg_t e, syscall_arg_t f)
{
	if (*(volatile int *)cancel) return __cancel();
	return __umbra_syscall_cp(n, a, b, c, d, e, f);
}
