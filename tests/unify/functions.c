//@ domain: x=i8:-12..12 y=i8:-12..12
// Functions: parameters, results, callees, extracted and inlined ones.
#include "catalogue.h"

//- old
static int with_parameter(int a)
{
	return a * 2;
}
//- new
static int with_parameter(int a, int b)
{
	return a * 2 + b;
}
//- both

int diff_parameter_added(int x, int y)
{
//- old
	return with_parameter(x);
//- new
	return with_parameter(x, y > 3);
//- both
}

//- old
static int without_parameter(int a, int b)
{
	return a + b;
}
//- new
static int without_parameter(int a)
{
	return a;
}
//- both

int diff_parameter_removed(int x, int y)
{
//- old
	return without_parameter(x, y == 2);
//- new
	return without_parameter(x);
//- both
}

//- old
static int parameters_exchanged(int a, char *p)
{
	return a + *p;
}
//- new
static int parameters_exchanged(char *p, int a)
{
	return a - *p;
}
//- both

int diff_parameters_exchanged(int x, int y)
{
	char c = y;
//- old
	return parameters_exchanged(x, &c);
//- new
	return parameters_exchanged(&c, x);
//- both
}

static int callee_a(int a)
{
	return a + 1;
}

static int callee_b(int a)
{
	return a + 2;
}

int diff_other_callee(int x, int y)
{
//- old
	return callee_a(x) + callee_b(y);
//- new
	return callee_b(x) + callee_b(y);
//- both
}

static int in_callee(int a)
{
//- old
	return a > 4 ? 4 : a;
//- new
	return a > 5 ? 5 : a;
//- both
}

int diff_in_callee(int x, int y)
{
	return in_callee(x) * 16 + in_callee(y);
}

//- old
static long other_result(int a)
{
	return a;
}
//- new
static int other_result(int a)
{
	return (signed char)(a * 20);
}
//- both

int diff_result_type(int x, int y)
{
	return (int)other_result(x) + y;
}

//- new
static int extracted(int a, int b)
{
	if (a > b)
		return a - b;
	return b - a + 1;
}
//- both

int diff_extracted(int x, int y)
{
//- old
	int d;
	if (x > y)
		d = x - y;
	else
		d = y - x;
	return d;
//- new
	return extracted(x, y);
//- both
}

static int by_pointer(int (*f)(int), int a)
{
	return f(a);
}

int diff_function_pointer(int x, int y)
{
//- old
	return by_pointer(callee_a, x);
//- new
	return by_pointer(y > 6 ? callee_b : callee_a, x);
//- both
}

static int recursive(int n)
{
//- old
	return n <= 0 ? 0 : n + recursive(n - 1);
//- new
	return n <= 0 ? 1 : n + recursive(n - 1);
//- both
}

int diff_recursion(int x, int y)
{
	return recursive(x & 3) + y;
}

static void out_parameter(int a, int *r)
{
//- old
	*r = a;
//- new
	if (a > 3)
		*r = a;
//- both
}

int diff_out_parameter(int x, int y)
{
	int r = y;
	out_parameter(x, &r);
	return r;
}

static int kept_count(int a)
{
	static int count;
//- old
	count += a & 1;
//- new
	count += a & 3;
//- both
	return count;
}

int diff_static_local(int x, int y)
{
	kept_count(x);
	return kept_count(y);
}

int diff_library_call(int x, int y)
{
	char a[4] = { 'a' + (x & 3), 0 }, b[4] = { 'a' + (y & 3), 0 };
//- old
	return strcmp(a, b) < 0;
//- new
	return strcmp(a, b) <= 0;
//- both
}

int diff_length(int x, int y)
{
	char a[4] = { 1, 2, x & 3, y & 3 }, b[4] = { 1, 2, 3, 3 };
//- old
	return memcmp(a, b, 3) == 0;
//- new
	return memcmp(a, b, 4) == 0;
//- both
}
