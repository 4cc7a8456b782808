//@ domain: x=i8:-12..12 y=i8:-12..12
// Layouts: fields, structs, arrays, unions and types that change their size or place.
#include "catalogue.h"

struct order {
//- old
	int a, b;
//- new
	int b, a;
//- both
};

int same_fields_exchanged(int x, int y)
{
	struct order o;
	o.a = x;
	o.b = y;
	return o.a * 32 + o.b;
}

int diff_fields_exchanged(int x, int y)
{
	struct order o = { x, y };
	return o.a * 32 + o.b;
}

static struct order copied(struct order o)
{
	o.a++;
	return o;
}

int same_struct_by_value(int x, int y)
{
	struct order o = { .a = x, .b = y };
	o = copied(o);
	return o.a * 32 + o.b;
}

struct node {
	int value;
//- new
	int weight;
//- both
	struct node *next;
};

int same_list_of_grown(int x, int y)
{
	struct node *first = 0;
	for (int i = 0; i < 3; i++) {
		struct node *n = malloc(sizeof *n);
		n->value = i == 1 ? x : y;
		n->next = first;
		first = n;
	}
	int r = 0;
	while (first) {
		struct node *n = first;
		r = r * 3 + n->value;
		first = n->next;
		free(n);
	}
	return r;
}

int diff_field_used(int x, int y)
{
	struct node n = { .value = x, .next = 0 };
//- old
	return n.value + y;
//- new
	n.weight = y > 4;
	return n.value + y + n.weight;
//- both
}

struct sized {
	char tag;
//- new
	int more[2];
//- both
};

int diff_size_of_struct(int x, int y)
{
	struct sized n;
	memset(&n, x & 1, sizeof n);
	unsigned char *p = (unsigned char *)&n;
	int sum = 0;
	for (unsigned i = 0; i < sizeof n; i++)
		sum += p[i];
	return sum + y;
}

struct packed_bits {
//- old
	unsigned low : 3, high : 3;
//- new
	unsigned low : 2, high : 3;
//- both
};

int diff_bit_field(int x, int y)
{
	struct packed_bits b;
	b.low = x;
	b.high = y;
	return b.low * 8 + b.high;
}

union view {
	int whole;
//- old
	char part;
//- new
	short part;
//- both
};

int diff_union(int x, int y)
{
	union view v;
	v.whole = x * 300;
	return v.part + y;
}

int diff_row_length(int x, int y)
{
//- old
	char grid[3][4];
//- new
	char grid[3][5];
//- both
	memset(grid, 0, sizeof grid);
	char *flat = &grid[0][0];
	grid[x & 1][2] = 7;
	return flat[6] + y;
}

int same_row_length(int x, int y)
{
//- old
	char grid[3][4];
//- new
	char grid[3][9];
//- both
	for (int i = 0; i < 3; i++)
		for (int j = 0; j < 4; j++)
			grid[i][j] = i * 4 + j;
	return grid[x & 1][y & 3];
}

//- old
static int numbers[4] = { 1, 2, 3, 4 };
//- new
static int numbers[6] = { 1, 2, 3, 4, 5, 6 };
//- both

int diff_array_resized(int x, int y)
{
	int sum = 0;
	for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; i++)
		if ((int)i != x)
			sum += numbers[i];
	return sum - y;
}

int same_array_resized(int x, int y)
{
	numbers[x & 3] += y;
	return numbers[y & 3];
}

//- old
static unsigned char small = 250;
//- new
static unsigned short small = 250;
//- both

int diff_global_wraps(int x, int y)
{
	small += x & 15;
	return small + y;
}

int diff_type_widened(int x, int y)
{
//- old
	signed char product = x * y;
//- new
	int product = x * y;
//- both
	return product > 100;
}

int diff_type_signed(int x, int y)
{
//- old
	unsigned char c = x;
//- new
	signed char c = x;
//- both
	return c < y;
}

//- old
static int narrowed(int a)
//- new
static int narrowed(signed char a)
//- both
{
	return a / 2;
}

int diff_parameter_narrowed(int x, int y)
{
	return narrowed(x * 20) + y;
}

int same_parameter_narrowed(int x, int y)
{
	return narrowed(x) + y;
}

typedef
//- old
	unsigned
//- new
	unsigned long
//- both
	count;

int diff_typedef_widened(int x, int y)
{
	count c = x;
	c += 20;
	c = 0 - c;
	return (c >> 31) > 1 ? 1 : y;
}

int same_typedef_widened(int x, int y)
{
	count c = (x & 7) + (y & 7);
	return c > 9 ? 1 : (int)c;
}

struct inner { char tag;
//- new
	char more;
//- both
	short value; };
struct outer { struct inner first, second; int last; };

int same_nested_struct(int x, int y)
{
	struct outer o = { { .tag = 1, .value = x }, { .tag = 2, .value = y }, .last = 3 };
	struct inner *p = x > y ? &o.first : &o.second;
	return p->tag * 64 + p->value + o.last;
}

int diff_offset_of(int x, int y)
{
	struct node n = { .value = x, .next = 0 };
	char *p = (char *)&n;
	*(int *)(p + 4) = y;
//- old
	return n.value;
//- new
	return n.value + n.weight;
//- both
}

static const struct { const char *name; int value; } options[] = {
	{ "ab", 1 },
//- new
	{ "ac", 2 },
//- both
	{ "b", 3 },
	{ 0, 0 },
};

int diff_option_table(int x, int y)
{
	char word[3] = { 'a' + (x & 1), 'b' + (y & 1), 0 };
	for (int i = 0; options[i].name; i++)
		if (!strcmp(options[i].name, word))
			return options[i].value;
	return 0;
}

//- old
static const char text[] = "one\0two";
//- new
static const char text[] = "one\0three\0two";
//- both

int diff_packed_strings(int x, int y)
{
	const char *p = text;
	for (int i = 0; i < (x & 1); i++)
		p += strlen(p) + 1;
	return strlen(p) * 10 + p[y & 1];
}

//- old
static int (*const actions[])(int) = { abs, abs };
//- new
static int negated(int a) { return -a; }
static int (*const actions[])(int) = { abs, negated };
//- both

int diff_table_of_functions(int x, int y)
{
	return actions[x & 1](y);
}
