/* What the checks of -fsanitize=undefined call when they fail: says where and what, and aborts. In the engine these
 * calls are findings.
 *
 * The compiler gives each check a description that starts with the place: the file, the line, the column. */
#include <stdint.h>
#include <stdlib.h>
#include <features.h>
#include "runtime.h"

struct place {
	const char *file;
	uint32_t line, column;
};

static char *digits(char *end, uint32_t number)
{
	*--end = 0;
	do *--end = '0' + number % 10;
	while (number /= 10);
	return end;
}

static _Noreturn void fail(const struct place *place, const char *what)
{
	char line[12], column[12];
	say(place->file ? place->file : "?", ":", digits(line + sizeof line, place->line), ":",
		digits(column + sizeof column, place->column), ": runtime error: ", what, "\n");
	abort();
}

/* The compiler calls the second one, since programs are compiled with -fno-sanitize-recover. */
#define CHECK(NAME, WHAT)                                                              \
	ENTRY void __ubsan_handle_##NAME(const struct place *place) { fail(place, WHAT); } \
	ENTRY void __ubsan_handle_##NAME##_abort(const struct place *place) { fail(place, WHAT); }

CHECK(add_overflow, "a sum does not fit its type")
CHECK(sub_overflow, "a difference does not fit its type")
CHECK(mul_overflow, "a product does not fit its type")
CHECK(negate_overflow, "a negation does not fit its type")
CHECK(divrem_overflow, "division by zero, or of the least number by -1")
CHECK(shift_out_of_bounds, "shift by too much, or of a negative number")
CHECK(out_of_bounds, "index out of bounds")
CHECK(type_mismatch_v1, "access through a pointer that is null, misaligned, or to too small an object")
CHECK(alignment_assumption, "a pointer is not aligned as was promised")
CHECK(float_cast_overflow, "a float does not fit the integer that it becomes")
CHECK(function_type_mismatch, "call of a function of another type")
CHECK(implicit_conversion, "a conversion changes the value")
CHECK(invalid_builtin, "zero passed to a builtin that is not defined for it")
CHECK(load_invalid_value, "a value that its type does not have")
CHECK(nonnull_arg, "null passed where it must not be")
CHECK(nullability_arg, "null passed where it must not be")
CHECK(pointer_overflow, "pointer arithmetic on null, or that wraps around")
CHECK(vla_bound_not_positive, "an array of variable length without elements")

/* These have no second form: nobody goes on behind them. */
ENTRY void __ubsan_handle_builtin_unreachable(const struct place *place)
{
	fail(place, "code that was promised never to run");
}

ENTRY void __ubsan_handle_missing_return(const struct place *place)
{
	fail(place, "a function that returns a value ends without one");
}

/* Here the place comes second. */
ENTRY void __ubsan_handle_nonnull_return_v1(const void *check, const struct place *place)
{
	fail(place, "null returned where it must not be");
}

ENTRY void __ubsan_handle_nonnull_return_v1_abort(const void *check, const struct place *place)
{
	fail(place, "null returned where it must not be");
}
