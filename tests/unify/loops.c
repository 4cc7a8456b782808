//@ domain: x=i8:-12..12 y=i8:-12..12
// Loops: bounds, steps, exits, added and removed ones.
#include "catalogue.h"

int diff_bound(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < (x & 7); i++)
//- new
	for (int i = 0; i <= (x & 7); i++)
//- both
		sum += i;
	return sum + y;
}

int diff_start(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < (x & 7); i++)
//- new
	for (int i = 1; i < (x & 7); i++)
//- both
		sum += i + 1;
	return sum;
}

int diff_step(int x, int y)
{
	int sum = 0;
//- old
	for (int i = 0; i < (x & 7); i++)
//- new
	for (int i = 0; i < (x & 7); i += 2)
//- both
		sum += 1;
	return sum;
}

int diff_break_added(int x, int y)
{
	int sum = 0;
	for (int i = 0; i < 6; i++) {
//- new
		if (i == y)
			break;
//- both
		sum += x;
	}
	return sum;
}

int diff_continue_added(int x, int y)
{
	int sum = 0;
	for (int i = 0; i < 5; i++) {
//- new
		if (i == (y & 7))
			continue;
//- both
		sum += i;
	}
	return sum + x;
}

int diff_body(int x, int y)
{
	int sum = 0;
	for (int i = 0; i < (y & 3); i++)
//- old
		sum += x;
//- new
		sum -= x;
//- both
	return sum;
}

int diff_loop_added(int x, int y)
{
	int r = x;
//- new
	for (int i = 0; i < (y & 3); i++)
		r *= 2;
//- both
	return r;
}

int diff_loop_removed(int x, int y)
{
	int r = x;
//- old
	while (r > 5)
		r -= 3;
//- both
	return r + y;
}

int diff_do_while(int x, int y)
{
	int n = x & 3, r = 0;
//- old
	while (n > 0) {
		r++;
		n--;
	}
//- new
	do {
		r++;
		n--;
	} while (n > 0);
//- both
	return r + y;
}

int diff_nested(int x, int y)
{
	int sum = 0;
	for (int i = 0; i < (x & 3); i++)
//- old
		for (int j = 0; j < (y & 3); j++)
//- new
		for (int j = i; j < (y & 3); j++)
//- both
			sum += 1;
	return sum;
}

int diff_output_in_loop(int x, int y)
{
	for (int i = 0; i < (x & 3); i++) {
		emit('a' + i);
//- new
		if (y > 4)
			emit(',');
//- both
	}
	return 0;
}

int diff_accumulator(int x, int y)
{
//- old
	int r = 0;
//- new
	int r = y & 1;
//- both
	for (int i = 0; i < (x & 3); i++)
		r = r * 2 + 1;
	return r;
}

int diff_string(int x, int y)
{
	char s[5] = { 'a' + (x & 7), 'a' + (y & 7), 'c', 0 };
	int n = 0;
//- old
	for (char *p = s; *p; p++)
		n += *p == 'c';
//- new
	for (char *p = s; *p; p++)
		n += *p == 'c' || *p == 'd';
//- both
	return n;
}

int diff_first_found(int x, int y)
{
	int a[4] = { 3, 1, x & 3, 2 };
//- old
	for (int i = 0; i < 4; i++)
//- new
	for (int i = 3; i >= 0; i--)
//- both
		if (a[i] == (y & 3))
			return i;
	return -1;
}

int diff_terminates_later(int x, int y)
{
	int n = y & 7, r = 0;
	while (n) {
		r += n;
//- old
		n >>= 1;
//- new
		n--;
//- both
	}
	return r + x;
}
