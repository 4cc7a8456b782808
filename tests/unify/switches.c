//@ domain: x=i8:-12..12 y=i8:-12..12
// Switches, jumps and returns: tables with other cases, cases that move, gotos, exits.
#include "catalogue.h"

int diff_switch_table_grown(int x, int y)
{
	switch (x & 15) {
	case 0: return 3;
	case 1: return 1;
	case 2: return 4;
	case 3: return 1;
	case 4: return 5;
//- new
	case 5: return 9;
	case 6: return 2;
//- both
	default: return y;
	}
}

int diff_switch_table_shrunk(int x, int y)
{
	switch (x) {
	case 1: emit('a'); break;
	case 2: emit('b'); break;
//- old
	case 3: emit('c'); break;
//- both
	case 4: emit('d'); break;
	}
	return y;
}

int diff_cases_exchanged(int x, int y)
{
	switch (x) {
//- old
	case 1: return 10;
	case 2: return 20;
//- new
	case 1: return 20;
	case 2: return 10;
//- both
	default: return y;
	}
}

int diff_default_added(int x, int y)
{
	int r = y;
	switch (x & 3) {
	case 0: r = 1; break;
	case 1: r = 2; break;
//- new
	default: r = 3; break;
//- both
	}
	return r;
}

int diff_default_moved(int x, int y)
{
	int r = 0;
	switch (x & 7) {
//- old
	default: r += 8;
	case 1: r += 1;
	case 2: r += 2; break;
//- new
	case 1: r += 1;
	case 2: r += 2;
	default: r += 8; break;
//- both
	case 3: r = y;
	}
	return r;
}

int diff_switch_on_other(int x, int y)
{
//- old
	switch (x) {
//- new
	switch (y) {
//- both
	case 1: return 5;
	case 2: return 6;
	}
	return 7;
}

int diff_switch_width(int x, int y)
{
//- old
	switch ((signed char)(x * 30)) {
//- new
	switch (x * 30) {
//- both
	case 44: return 1;
	case 60: return 2;
	case -60: return 3;
	}
	return y;
}

int diff_range_split(int x, int y)
{
	switch (x) {
//- old
	case -3 ... 3: return 1;
//- new
	case -3 ... 1: return 1;
	case 2 ... 3: return 2;
//- both
	default: return y;
	}
}

int diff_nested_switch(int x, int y)
{
	switch (x & 3) {
	case 0:
		switch (y & 3) {
		case 0: return 1;
//- old
		case 1: return 2;
//- new
		case 2: return 2;
//- both
		}
		break;
	case 1: return 3;
	}
	return 4;
}

int diff_case_runs_loop(int x, int y)
{
	int r = 0;
	switch (x & 1) {
	case 1:
//- new
		for (int i = 0; i < (y & 3); i++)
			r += 2;
//- both
		r++;
	default:
		r += 10;
	}
	return r;
}

int diff_goto_target(int x, int y)
{
	int r = 0;
again:
	r++;
	if (r < (x & 3))
//- old
		goto again;
//- new
		goto end;
//- both
	r += y;
end:
	return r;
}

int diff_goto_backwards_added(int x, int y)
{
	int n = 0, r = x;
again:
	r += y;
//- new
	if (++n < 2 && r > 0)
		goto again;
//- both
	return r;
}

int diff_goto_to_cleanup(int x, int y)
{
	int r = -1;
	char *p = malloc(4);
	if (x < 0)
		goto out;
	p[0] = x;
//- old
	if (y < 0)
		goto out;
//- new
	if (y < -2)
		goto out;
//- both
	r = p[0] + y;
out:
	free(p);
	return r;
}

int diff_goto_out_of_loops(int x, int y)
{
	int i, j = 0;
	for (i = 0; i < 3; i++)
		for (j = 0; j < 3; j++)
			if (i * j == (x & 7))
//- old
				goto found;
//- new
				break;
//- both
	return y;
found:
	return i * 16 + j;
}

int diff_return_in_loop(int x, int y)
{
	for (int i = 0; i < 4; i++) {
		if (i == (x & 7))
//- old
			break;
//- new
			return i;
//- both
		emit('.');
	}
	return y;
}

int diff_returns_merged(int x, int y)
{
//- old
	if (x > 0)
		return 1;
	if (y > 0)
		return 2;
	return 3;
//- new
	int r = 3;
	if (x > 0)
		r = 1;
	if (y > 0)
		r = 2;
	return r;
//- both
}

int diff_exit_added(int x, int y)
{
	emit('a');
//- new
	if (x == 7)
		exit(3);
//- both
	return y;
}

int diff_exit_status(int x, int y)
{
	if (x > y + 9)
//- old
		exit(1);
//- new
		exit(2);
//- both
	return x;
}

int diff_abort_removed(int x, int y)
{
//- old
	if (x * y == 36)
		abort();
//- both
	return x + y;
}

int same_range_split(int x, int y)
{
	switch (x) {
//- old
	case -3 ... 3: return 1;
//- new
	case -3 ... 0: return 1;
	case 1 ... 3: return 1;
//- both
	default: return y;
	}
}

int same_case_merged(int x, int y)
{
	switch (x) {
//- old
	case 1: return 4;
	case 2: return 4;
//- new
	case 1:
	case 2: return 4;
//- both
	}
	return y;
}

int same_default_made_explicit(int x, int y)
{
	int r = 0;
	switch (x & 3) {
	case 0: r = 1; break;
	case 1: r = 2; break;
//- new
	case 2:
	case 3: break;
//- both
	}
	return r + y;
}

int same_ifs_to_switch(int x, int y)
{
//- old
	if (x == 1 || x == 4)
		return 1;
	else if (x == 2)
		return 2;
	return y;
//- new
	switch (x) {
	case 1: case 4: return 1;
	case 2: return 2;
	default: return y;
	}
//- both
}

int same_switch_to_table(int x, int y)
{
//- old
	switch (x & 3) {
	case 0: return 3;
	case 1: return 1;
	case 2: return 4;
	default: return 1;
	}
//- new
	static const int table[4] = { 3, 1, 4, 1 };
	return table[x & 3];
//- both
}
