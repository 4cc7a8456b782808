/* Stands in for musl's header of this name, so that the native runtime of symbolic
 * inputs compiles against the system's libc: sanitizers need that one. */
#include <unistd.h>
#include <sys/syscall.h>

/* As musl's: arguments of any type become whole words. */
#define L(x) ((long)(x))
#define SYSCALL1(n, a) syscall(n, L(a))
#define SYSCALL2(n, a, b) syscall(n, L(a), L(b))
#define SYSCALL3(n, a, b, c) syscall(n, L(a), L(b), L(c))
#define SYSCALL6(n, a, b, c, d, e, f) syscall(n, L(a), L(b), L(c), L(d), L(e), L(f))
#define PICK(n, a, b, c, d, e, f, name, ...) name
#define __syscall(...) \
	PICK(__VA_ARGS__, SYSCALL6, 0, 0, SYSCALL3, SYSCALL2, SYSCALL1, 0)(__VA_ARGS__)
