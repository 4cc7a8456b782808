/* Inputs made of others, and questions about values. */
#include <features.h>
#include <klee/klee.h>
#include <umbra.h>
#include "runtime.h"

ENTRY int klee_int(const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	return value;
}

ENTRY int klee_range(int begin, int end, const char *name)
{
	int value;
	klee_make_symbolic(&value, sizeof value, name);
	/* One condition, so that there is one path. */
	klee_assume((value >= begin) & (value < end));
	return value;
}

ENTRY uintptr_t klee_choose(uintptr_t n)
{
	uintptr_t value;
	klee_make_symbolic(&value, sizeof value, "klee_choose");
	klee_assume(value < n);
	return value;
}

ENTRY unsigned klee_is_symbolic(uintptr_t value)
{
	return 0;
}

ENTRY unsigned klee_is_replay(void)
{
	return 1;
}

ENTRY float klee_get_valuef(float value) { return value; }
ENTRY double klee_get_valued(double value) { return value; }
ENTRY long klee_get_valuel(long value) { return value; }
ENTRY long long klee_get_valuell(long long value) { return value; }
ENTRY int32_t klee_get_value_i32(int32_t value) { return value; }
ENTRY int64_t klee_get_value_i64(int64_t value) { return value; }

ENTRY int umbra_int(const char *name)
{
	return klee_int(name);
}

ENTRY int umbra_range(int begin, int end, const char *name)
{
	return klee_range(begin, end, name);
}

ENTRY int umbra_is_symbolic(uintptr_t value)
{
	return klee_is_symbolic(value);
}
