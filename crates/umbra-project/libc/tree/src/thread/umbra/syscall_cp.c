/* Cancellation points in C. The signal handler of pthread_cancel looks for a
 * program counter between __cp_begin and __cp_end: it never finds one here, so
 * a thread that is blocked in a call is cancelled at its next one. */
#include "pthread_impl.h"
#include "syscall.h"

hidden const char __cp_begin[1], __cp_end[1], __cp_cancel[1];
hidden long __cancel(void);

hidden long __syscall_cp_asm(volatile void *cancel, syscall_arg_t n,
	syscall_arg_t a, syscall_arg_t b, syscall_arg_t c,
	syscall_arg_t d, syscall_arg_t e, syscall_arg_t f)
{
	if (*(volatile int *)cancel) return __cancel();
	return __umbra_syscall(n, a, b, c, d, e, f);
}
