//@ domain: x=i8:-12..12 y=i8:-12..12
// Null patches as they come in real projects: code that moved, was named, was taken apart or put together.
#include "catalogue.h"
#include <assert.h>
#include <stdbool.h>
#include <stdio.h>

int same_assert_lines(int x, int y)
{
	int r = x * 2;
//- new
	/* The line of the assertion moves. */


//- both
	assert(r < 1000);
	return r + y;
}

int same_assert_message(int x, int y)
{
//- new
	// Two lines more.
	//
//- both
	if (x > 20)
		assert(!"too large");
	assert(x <= 20 && y <= 20);
	return x - y;
}

//- old
static int absolute(int a)
{
	if (a < 0)
		return -a;
	return a;
}
//- new
static int absolute(int a)
{
	return a < 0 ? -a : a;
}
//- both

int same_callee_rewritten(int x, int y)
{
	return absolute(x) + absolute(y);
}

//- new
static bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}
//- both

int same_predicate_extracted(int x, int y)
{
	int c = '0' + x;
//- old
	if (c >= '0' && c <= '9')
//- new
	if (is_digit(c))
//- both
		return c - '0';
	return y;
}

//- old
static int parsed(int c, int *value)
{
	if (c < 0)
		return -1;
	*value = c * 2;
	return 0;
}
//- both

int same_out_parameter_inlined(int x, int y)
{
	int value = y;
//- old
	if (parsed(x, &value) < 0)
		return -7;
//- new
	if (x < 0)
		return -7;
	value = x * 2;
//- both
	return value;
}

int same_guard_clauses(int x, int y)
{
//- old
	int r;
	if (x >= 0) {
		if (y >= 0) {
			r = x + y;
		} else {
			r = -1;
		}
	} else {
		r = -2;
	}
	return r;
//- new
	if (x < 0)
		return -2;
	if (y < 0)
		return -1;
	return x + y;
//- both
}

int same_flag_to_break(int x, int y)
{
	int a[4] = { 2, 3, 5, 7 };
	int i;
//- old
	int done = 0;
	for (i = 0; i < 4 && !done; i++)
		if (a[i] == x)
			done = 1;
	return done ? i - 1 : -1;
//- new
	for (i = 0; i < 4; i++)
		if (a[i] == x)
			return i;
	return -1;
//- both
}

int same_sentinel(int x, int y)
{
	char s[4] = { 'a' + (x & 3), 'b', 0 };
//- old
	int n = 0;
	while (s[n] != '\0')
		n++;
//- new
	int n = strlen(s);
//- both
	return n + y;
}

int same_pointer_walk(int x, int y)
{
	int a[3] = { x, y, 1 }, sum = 0;
//- old
	for (int i = 0; i < 3; i++)
		sum += a[i];
//- new
	for (int *p = a; p < a + 3; p++)
		sum += *p;
//- both
	return sum;
}

int same_loop_unrolled(int x, int y)
{
	int sum = y;
//- old
	for (int i = 0; i < 3; i++)
		sum = sum * 2 + x;
//- new
	sum = sum * 2 + x;
	sum = sum * 2 + x;
	sum = sum * 2 + x;
//- both
	return sum;
}

int same_loop_fused(int x, int y)
{
	int a = 0, b = 0;
//- old
	for (int i = 0; i < 3; i++)
		a += x;
	for (int i = 0; i < 3; i++)
		b += y;
//- new
	for (int i = 0; i < 3; i++) {
		a += x;
		b += y;
	}
//- both
	return a * 64 + b;
}

int same_invariant_hoisted(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < 3; i++)
		sum += i * (x + y);
//- new
	int factor = x + y;
	for (int i = 0; i < 3; i++)
		sum += i * factor;
//- both
	return sum;
}

int same_do_while(int x, int y)
{
	int n = (x & 3) + 1, r = 0;
//- old
	do {
		r += y;
	} while (--n > 0);
//- new
	while (n > 0) {
		r += y;
		n--;
	}
//- both
	return r;
}

int same_de_morgan(int x, int y)
{
//- old
	if (!(x > 0 && y > 0))
//- new
	if (x <= 0 || y <= 0)
//- both
		return 1;
	return 2;
}

int same_range_check(int x, int y)
{
//- old
	if (x >= 0 && x < 8)
//- new
	if ((unsigned)x < 8)
//- both
		return y;
	return -1;
}

int same_bool_type(int x, int y)
{
//- old
	int found = 0;
	if (x == y)
		found = 1;
//- new
	bool found = x == y;
//- both
	return found;
}

int same_xor_of_conditions(int x, int y)
{
//- old
	if ((x < 0 && y >= 0) || (x >= 0 && y < 0))
//- new
	if ((x < 0) != (y < 0))
//- both
		return 1;
	return 0;
}

int same_division_to_shift(int x, int y)
{
	unsigned a = x & 15;
//- old
	return a / 4 + y;
//- new
	return (a >> 2) + y;
//- both
}

int same_constant_folded(int x, int y)
{
//- old
	return x * 60 * 60 + y;
//- new
	return x * 3600 + y;
//- both
}

#define LIMIT_OF_ALL 5

int same_macro_for_number(int x, int y)
{
//- old
	return x > 5 ? 5 : y;
//- new
	return x > LIMIT_OF_ALL ? LIMIT_OF_ALL : y;
//- both
}

//- old
static int state_a = 1, state_b = 2;
//- new
static struct { int a, b; } state = { 1, 2 };
#define state_a state.a
#define state_b state.b
//- both

int same_globals_to_struct(int x, int y)
{
	state_a += x;
	state_b += y;
	return state_a * 32 + state_b;
}

//- old
static int total_before;
#define TOTAL total_before
//- new
static int grand_total;
#define TOTAL grand_total
//- both

int same_global_renamed(int x, int y)
{
	TOTAL = x;
	TOTAL += y;
	return TOTAL;
}

//- old
static int helper_first(int a) { return a + 1; }
static int helper_second(int a) { return a * 2; }
//- new
static int doubled(int a) { return a * 2; }
static int incremented(int a) { return a + 1; }
//- both

int same_two_renamed(int x, int y)
{
//- old
	return helper_first(x) + helper_second(y);
//- new
	return incremented(x) + doubled(y);
//- both
}

int same_string_built(int x, int y)
{
	char b[8];
//- old
	b[0] = 'n';
	b[1] = '0' + (x & 7);
	b[2] = 0;
//- new
	snprintf(b, sizeof b, "n%d", x & 7);
//- both
	write(1, b, strlen(b));
	return y;
}

int same_writes_joined(int x, int y)
{
//- old
	emit('a');
	emit('b' + (x & 3));
//- new
	char b[2] = { 'a', 'b' + (x & 3) };
	write(1, b, 2);
//- both
	return y;
}

int same_calloc(int x, int y)
{
//- old
	int *p = malloc(2 * sizeof *p);
	memset(p, 0, 2 * sizeof *p);
//- new
	int *p = calloc(2, sizeof *p);
//- both
	p[x & 1] = y;
	int r = p[0] * 3 + p[1];
	free(p);
	return r;
}

int same_freed_earlier(int x, int y)
{
	int *p = malloc(sizeof *p);
	*p = x;
//- old
	int r = *p + y;
	emit(r);
	free(p);
//- new
	int r = *p + y;
	free(p);
	emit(r);
//- both
	return r;
}

int same_heap_to_stack(int x, int y)
{
//- old
	int *p = malloc(sizeof *p);
//- new
	int local, *p = &local;
//- both
	*p = x * y;
	int r = *p;
//- old
	free(p);
//- both
	return r;
}

int same_null_check_added(int x, int y)
{
	int *p = malloc(sizeof *p);
//- new
	if (!p)
		return -1;
//- both
	*p = x;
	int r = *p + y;
	free(p);
	return r;
}

static void add_to(int *sum, int a)
{
	*sum += a;
}

int same_added_by_helper(int x, int y)
{
	int sum = 0;
//- old
	sum += x;
	sum += y;
//- new
	add_to(&sum, x);
	add_to(&sum, y);
//- both
	return sum;
}

//- old
static int three(int a, int b, int c) { return a * 4 + b * 2 + c; }
//- new
static int three(int c, int a, int b) { return a * 4 + b * 2 + c; }
//- both

int same_arguments_reordered(int x, int y)
{
//- old
	return three(x, y, 1);
//- new
	return three(1, x, y);
//- both
}

//- old
static int constant_argument(int a, int mode) { return mode ? a + 1 : a - 1; }
//- new
static int constant_argument(int a) { return a + 1; }
//- both

int same_argument_dropped(int x, int y)
{
//- old
	return constant_argument(x, 1) + y;
//- new
	return constant_argument(x) + y;
//- both
}

struct point { int a, b; };

//- old
static int weight_of(int a, int b) { return a * 3 + b; }
//- new
static int weight_of(const struct point *p) { return p->a * 3 + p->b; }
//- both

int same_parameter_object(int x, int y)
{
//- old
	return weight_of(x, y);
//- new
	struct point p = { x, y };
	return weight_of(&p);
//- both
}

int same_temporary_removed(int x, int y)
{
//- old
	int t = x;
	int u = t + 1;
	int v = u * y;
	return v;
//- new
	return (x + 1) * y;
//- both
}

int same_declarations_moved(int x, int y)
{
//- old
	int a, b, r;
	a = x + 1;
	b = y + 1;
	r = a * b;
//- new
	int a = x + 1;
	int b = y + 1;
	int r = a * b;
//- both
	return r;
}

int same_comma(int x, int y)
{
	int a, b;
//- old
	a = x;
	b = y;
//- new
	a = x, b = y;
//- both
	return a - b;
}

int same_loop_backwards_search(int x, int y)
{
	int a[3] = { 1, 4, 9 }, found = -1;
//- old
	for (int i = 0; i < 3; i++)
		if (a[i] == x)
			found = i;
//- new
	for (int i = 2; i >= 0; i--)
		if (a[i] == x) {
			found = i;
			break;
		}
//- both
	return found + y;
}

int same_increment(int x, int y)
{
	int a[2] = { x, y }, i = 0;
//- old
	int r = a[i++];
	r -= a[i++];
//- new
	int r = a[i];
	i += 1;
	r -= a[i];
	i += 1;
//- both
	return r * 4 + i;
}

int same_sign(int x, int y)
{
//- old
	int s = x < 0 ? -1 : x > 0 ? 1 : 0;
//- new
	int s = (x > 0) - (x < 0);
//- both
	return s + y;
}

int same_ternary_to_array(int x, int y)
{
//- old
	int c = x < 0 ? 'n' : 'p';
//- new
	int c = "pn"[x < 0];
//- both
	emit(c);
	return y;
}

int same_unreachable_removed(int x, int y)
{
	switch (x & 1) {
	case 0:
		return y;
	case 1:
		return -y;
	}
//- old
	emit('?');
	return 0;
//- new
	__builtin_unreachable();
//- both
}
