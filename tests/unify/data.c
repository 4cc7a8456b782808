//@ domain: x=i8:-12..12 y=i8:-12..12
// Data: tables, strings, structs, sizes; most of these patches change no line of a function.
#include "catalogue.h"

//- old
static const int table[4] = { 1, 2, 3, 4 };
//- new
static const int table[4] = { 1, 2, 3, 5 };
//- both

int diff_table(int x, int y)
{
	return table[x & 3] + y;
}

//- old
static const char *const names[] = { "ab", "cd" };
//- new
static const char *const names[] = { "ab", "ce" };
//- both

int diff_strings(int x, int y)
{
	return names[x & 1][y & 1];
}

//- old
static const char options[] = "abc";
//- new
static const char options[] = "abcd";
//- both

int diff_option_string(int x, int y)
{
	return strchr(options, 'a' + (x & 7)) != 0;
}

//- old
static const struct { int key, value; } entries[] = { { 1, 10 }, { 3, 30 }, { 0, 0 } };
//- new
static const struct { int key, value; } entries[] = { { 1, 10 }, { 2, 20 }, { 3, 30 }, { 0, 0 } };
//- both

int diff_entry_in_the_middle(int x, int y)
{
	for (int i = 0; entries[i].key; i++)
		if (entries[i].key == x)
			return entries[i].value;
	return y;
}

//- old
static int start = 3;
//- new
static int start = 4;
//- both

int diff_variable(int x, int y)
{
	start += x;
	return start + y;
}

struct grown {
	char tag;
	int first;
//- new
	int added;
//- both
	int last;
};

int same_struct_grown(int x, int y)
{
	struct grown g = { .tag = 1, .first = x, .last = y };
	struct grown *p = &g;
	p->first += p->tag;
	return p->first * 32 + p->last;
}

int diff_struct_grown(int x, int y)
{
	struct grown g;
	memset(&g, 0, sizeof g);
	g.last = x;
	int sum = 0;
	for (unsigned i = 0; i < sizeof g / sizeof(int); i++)
		sum += i;
	return g.last + sum * y;
}

struct item {
	int key;
//- new
	char pad[5];
//- both
	int value;
};

int same_array_of_grown(int x, int y)
{
	struct item a[3] = { { .key = x, .value = 1 }, { .key = y, .value = 2 }, { .key = 0, .value = 3 } };
	for (int i = 0; i < 3; i++)
		if (a[i].key == 0)
			return a[i].value;
	return 0;
}

struct widened {
//- old
	int n;
//- new
	long n;
//- both
	int m;
};

int same_field_widened(int x, int y)
{
	struct widened w = { x, y };
	w.n += w.m;
	return (int)w.n;
}

int diff_buffer_size(int x, int y)
{
//- old
	char buffer[4];
//- new
	char buffer[8];
//- both
	memset(buffer, 1, sizeof buffer);
	return (int)sizeof buffer * (x & 1) + y;
}

int same_buffer_size(int x, int y)
{
//- old
	char buffer[4];
//- new
	char buffer[64];
//- both
	buffer[0] = x;
	buffer[1] = y;
	return buffer[0] + buffer[1];
}

int same_heap_size(int x, int y)
{
//- old
	char *p = malloc(4);
//- new
	char *p = malloc(40);
//- both
	p[0] = x;
	p[3] = y;
	int r = p[0] + p[3];
	free(p);
	return r;
}

//- old
static int counter_a, counter_b;
//- new
static int counter_b, counter_new, counter_a;
//- both

int same_globals_reordered(int x, int y)
{
	counter_a = x;
	counter_b = y;
//- new
	counter_new = 7;
//- both
	return counter_a - counter_b;
}

//- old
static unsigned char limit = 200;
//- new
static int limit = 200;
//- both

int same_global_widened(int x, int y)
{
	return x + y > limit - 190;
}

//- old
enum { RED, GREEN };
//- new
enum { WHITE, RED, GREEN };
//- both

int diff_enum(int x, int y)
{
	int colour = x > 0 ? RED : GREEN;
	return colour;
}

int same_enum(int x, int y)
{
	int colour = x > 0 ? RED : GREEN;
	return colour == RED ? x : y;
}
