/* The names that programs of the software verification competition use. Programs declare them
 * themselves, and some define them. An input is called as its function is, without
 * the prefix. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/types.h>
#include <features.h>
#include <klee/klee.h>
#include "runtime.h"

#define NONDET(suffix, type) \
	ENTRY type __VERIFIER_nondet_##suffix(void) \
	{ \
		type value; \
		klee_make_symbolic(&value, sizeof value, "nondet_" #suffix); \
		return value; \
	}

NONDET(char, char)
NONDET(schar, signed char)
NONDET(uchar, unsigned char)
NONDET(unsigned_char, unsigned char)
NONDET(short, short)
NONDET(ushort, unsigned short)
NONDET(int, int)
NONDET(uint, unsigned)
NONDET(unsigned, unsigned)
NONDET(unsigned_int, unsigned)
NONDET(long, long)
NONDET(ulong, unsigned long)
NONDET(longlong, long long)
NONDET(ulonglong, unsigned long long)
NONDET(int128, __int128)
NONDET(uint128, unsigned __int128)
NONDET(float, float)
NONDET(double, double)
NONDET(size_t, size_t)
NONDET(ssize_t, ssize_t)
NONDET(loff_t, long long)
NONDET(sector_t, unsigned long)
NONDET(pthread_t, unsigned long)
NONDET(u8, uint8_t)
NONDET(u16, uint16_t)
NONDET(u32, uint32_t)
NONDET(u64, uint64_t)
NONDET(S8, int8_t)
NONDET(s8, int8_t)
NONDET(s16, int16_t)
NONDET(s32, int32_t)
NONDET(s64, int64_t)
NONDET(pointer, void *)
NONDET(pchar, char *)
NONDET(charp, char *)

/* A byte other than 0 and 1 is not a _Bool. */
ENTRY _Bool __VERIFIER_nondet_bool(void)
{
	unsigned char value;
	klee_make_symbolic(&value, sizeof value, "nondet_bool");
	klee_assume(value <= 1);
	return value;
}

ENTRY void __VERIFIER_nondet_memory(void *start, size_t size)
{
	klee_make_symbolic(start, size, "nondet_memory");
}

ENTRY void __VERIFIER_assume(int condition)
{
	klee_assume(condition != 0);
}

ENTRY _Noreturn void reach_error(void)
{
	say("umbra: reach_error was called\n");
	abort();
}

ENTRY _Noreturn void __VERIFIER_error(void)
{
	say("umbra: __VERIFIER_error was called\n");
	abort();
}

ENTRY void __VERIFIER_assert(int condition)
{
	if (condition) return;
	say("umbra: __VERIFIER_assert failed\n");
	abort();
}
