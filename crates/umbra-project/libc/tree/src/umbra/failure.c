/* Ends of a path. */
#include <assert.h>
#include <stdlib.h>
#include <features.h>
#include <klee/klee.h>
#include <umbra.h>
#include "runtime.h"

ENTRY _Noreturn void klee_silent_exit(int status)
{
	__umbra_exit(status);
}

ENTRY _Noreturn void klee_abort(void)
{
	say("umbra: klee_abort was called\n");
	abort();
}

ENTRY _Noreturn void klee_report_error(const char *file, int line, const char *message,
	const char *suffix)
{
	char digits[12], *number = digits + sizeof digits - 1;
	unsigned rest = line < 0 ? -(unsigned)line : line;
	*number = 0;
	do *--number = '0' + rest % 10;
	while (rest /= 10);
	if (line < 0) *--number = '-';
	say("umbra: ", file ? file : "?", ":", number, ": ", message ? message : "error",
		" (", suffix ? suffix : "", ")\n");
	abort();
}

ENTRY _Noreturn void klee_assert_fail(const char *assertion, const char *file, unsigned line,
	const char *function)
{
	__assert_fail(assertion, file, line, function);
}

ENTRY _Noreturn void umbra_fail(const char *message)
{
	say("umbra: ", message, "\n");
	abort();
}
