//@ domain: x=i8:-12..12 y=i8:-12..12
// Calls: recursion, longjmp, function pointers, variadic functions, static variables, signatures.
#include "catalogue.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

static jmp_buf start;

static void leave(int a)
{
//- old
	if (a > 5)
//- new
	if (a > 6)
//- both
		longjmp(start, a);
}

int diff_longjmp_condition(int x, int y)
{
	int r = setjmp(start);
	if (r)
		return r + 100;
	leave(x);
	return y;
}

int diff_setjmp_in_changed(int x, int y)
{
	volatile int kept = x;
	int r = setjmp(start);
	if (r)
//- old
		return r + kept;
//- new
		return r - kept;
//- both
	kept = y;
	if (x > 3)
		longjmp(start, 2);
	return kept;
}

int same_setjmp_in_changed(int x, int y)
{
	volatile int kept = x;
//- old
	if (setjmp(start))
		return kept;
	kept = y;
//- new
	if (setjmp(start) != 0)
		return kept;
	kept = x;
	kept = kept - x + y;
//- both
	if (x > 3)
		longjmp(start, 2);
	return kept + 1;
}

int diff_setjmp_added(int x, int y)
{
	volatile int armed = 0;
//- new
	if (setjmp(start))
		return y + 40;
	armed = 1;
//- both
	if (armed && x > 3)
		longjmp(start, 2);
	return y;
}

int diff_setjmp_removed(int x, int y)
{
	volatile int armed = 0;
//- old
	if (setjmp(start))
		return y + 40;
	armed = 1;
//- both
	if (armed && x > 3)
		longjmp(start, 2);
	return y;
}

int diff_setjmp_again(int x, int y)
{
	if (setjmp(start))
		return y + 40;
//- new
	if (y > 0 && setjmp(start))
		return y + 50;
//- both
	if (x > 3)
		longjmp(start, 2);
	return y;
}

static int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
//- old
		return ackermann(m - 1, 1);
//- new
		return ackermann(m - 1, 0);
//- both
	return ackermann(m - 1, ackermann(m, n - 1));
}

int diff_recursion_twice(int x, int y)
{
	return ackermann(x & 1, y & 3);
}

static int is_odd(int n);

static int is_even(int n)
{
//- old
	return n == 0 ? 1 : is_odd(n - 1);
//- new
	return n <= 1 ? n == 0 : is_odd(n - 1);
//- both
}

static int is_odd(int n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

int same_recursion_mutual(int x, int y)
{
	return is_even(x & 7) * 2 + is_odd(y & 7);
}

static int sum_to(int n)
{
//- old
	if (n <= 0)
		return 0;
	return n + sum_to(n - 1);
//- new
	int r = 0;
	while (n > 0)
		r += n--;
	return r;
//- both
}

int same_recursion_to_loop(int x, int y)
{
	return sum_to(x & 3) + y;
}

static int depth_first(int n, int *left)
{
//- new
	if (*left <= 0)
		return -1;
//- both
	--*left;
	if (n <= 1)
		return 1;
	return depth_first(n - 1, left) + depth_first(n - 2, left);
}

int diff_recursion_bounded(int x, int y)
{
	int left = 4;
	return depth_first(x & 3, &left) * 8 + left + (y & 1);
}

static int sum_of(int count, ...)
{
	va_list list;
	va_start(list, count);
	int r = 0;
	while (count-- > 0)
		r += va_arg(list, int);
	va_end(list);
	return r;
}

int diff_variadic_more(int x, int y)
{
//- old
	return sum_of(2, x, y);
//- new
	return sum_of(3, x, y, x > y);
//- both
}

int diff_variadic_order(int x, int y)
{
	char b[16];
//- old
	sprintf(b, "%d,%d", x & 7, y & 7);
//- new
	sprintf(b, "%d,%d", y & 7, x & 7);
//- both
	write(1, b, strlen(b));
	return 0;
}

int diff_format(int x, int y)
{
	char b[16];
//- old
	sprintf(b, "%x", (x & 7) + 5);
//- new
	sprintf(b, "%d", (x & 7) + 5);
//- both
	write(1, b, strlen(b));
	return y;
}

int same_format(int x, int y)
{
	char b[16];
//- old
	sprintf(b, "%x", x & 7);
//- new
	sprintf(b, "%d", x & 7);
//- both
	write(1, b, strlen(b));
	return y;
}

int same_variadic_unused(int x, int y)
{
//- old
	return sum_of(2, x, y);
//- new
	return sum_of(2, x, y, 99);
//- both
}

static int by_one(int a) { return a + 1; }
static int by_two(int a) { return a + 2; }

//- old
typedef int (*action)(int);
//- new
typedef int (*action)(int, int);
static int by_more(int a, int b) { return a + 1 + (b == 3); }
//- both

int diff_pointer_signature(int x, int y)
{
//- old
	action f = by_one;
	return f(x) + y;
//- new
	action f = by_more;
	return f(x, y) + y;
//- both
}

int diff_pointer_chosen(int x, int y)
{
	int (*f)(int) = by_one;
//- old
	if (x > y)
//- new
	if (x >= y)
//- both
		f = by_two;
	return f(x);
}

static int compare_up(const void *a, const void *b)
{
	return *(const signed char *)a - *(const signed char *)b;
}

static int compare_down(const void *a, const void *b)
{
	return *(const signed char *)b - *(const signed char *)a;
}

int diff_comparator(int x, int y)
{
	signed char a[2] = { x, y };
//- old
	qsort(a, 2, 1, compare_up);
//- new
	qsort(a, 2, 1, compare_down);
//- both
	return a[0];
}

static int next_number(void)
{
//- old
	static int next = 1;
	return next++;
//- new
	static int next = 1, step = 1;
	next += step;
	return next - 1;
//- both
}

int same_static_added(int x, int y)
{
	for (int i = 0; i < (x & 1); i++)
		next_number();
	return next_number() + y;
}

static int remembered(int a)
{
//- old
	static int last = 0;
//- new
	static int last = 2;
//- both
	int r = last;
	last = a;
	return r;
}

int diff_static_initialiser(int x, int y)
{
	int r = x > 4 ? remembered(y) : 0;
	return r + remembered(x);
}

int diff_static_to_local(int x, int y)
{
	int r = 0;
	for (int i = 0; i < 2; i++) {
//- old
		static int kept;
//- new
		int kept = 0;
//- both
		kept += x & 3;
		r = r * 8 + kept;
	}
	return r + y;
}

//- old
static void result_by_pointer(int a, int *r)
{
	*r = a * 3;
}
//- new
static int result_by_pointer(int a)
{
	return a * 3;
}
//- both

int same_result_by_value(int x, int y)
{
//- old
	int r;
	result_by_pointer(x, &r);
//- new
	int r = result_by_pointer(x);
//- both
	return r + y;
}

//- old
static void nothing_returned(int a) { emit(a); }
//- new
static int nothing_returned(int a) { emit(a); return a > 3 ? -1 : 0; }
//- both

int diff_result_added(int x, int y)
{
//- old
	nothing_returned(x);
//- new
	if (nothing_returned(x) < 0)
		return 99;
//- both
	return y;
}

int same_result_added(int x, int y)
{
//- old
	nothing_returned(x);
//- new
	(void)nothing_returned(x);
//- both
	return y;
}

//- old
static int fixed(int a) { return a & 3; }
//- new
static long fixed(int a) { return a & 7; }
//- both

int diff_result_widened(int x, int y)
{
	return fixed(x) * 2 + y;
}

//- old
static int moved_first(int a) { return a * 5; }
static int moved_second(int a) { return moved_first(a) + 1; }
//- new
static int moved_second(int a);
static int moved_first(int a) { return a * 5 - (a == 6); }
static int moved_second(int a) { return moved_first(a) + 1; }
//- both

int diff_functions_moved(int x, int y)
{
	return moved_second(x) + y;
}

//- old
static int put_in_twice(int a, int b)
{
	return a > b ? a - b : 0;
}
//- both

int diff_inlined(int x, int y)
{
//- old
	return put_in_twice(x, y) + put_in_twice(y, x);
//- new
	int r = x > y ? x - y : 0;
	r += y >= x ? y - x : 1;
	return r;
//- both
}

//- old
static int called_before(int a) { return a + 3; }
//- new
static int called_now(int a) { return a + (a < 0 ? 2 : 3); }
//- both

int diff_renamed(int x, int y)
{
//- old
	return called_before(x) * 2 + called_before(y);
//- new
	return called_now(x) * 2 + called_now(y);
//- both
}

int diff_computed_goto(int x, int y)
{
//- old
	static void *const labels[] = {&&one, &&two, &&three};
//- new
	static void *const labels[] = {&&one, &&two, &&two_and_a_half, &&three};
//- both
	int n = x & 3;
//- old
	goto *labels[n < 3 ? n : 2];
//- new
	goto *labels[n];
//- both
one:
	return y;
two:
	return y * 2;
//- new
two_and_a_half:
	return y * 2 + y / 2;
//- both
three:
	return y * 3;
}

int same_computed_goto_for_switch(int x, int y)
{
//- old
	switch (x & 1) {
	case 0: goto even;
	default: goto odd;
	}
//- new
	static void *const labels[] = {&&even, &&odd};
	goto *labels[x & 1];
//- both
even:
	return y + 1;
odd:
	return y - 1;
}
