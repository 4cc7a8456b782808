//@ domain: x=i8:-12..12 y=i8:-12..12
// Several translation units: what moves between them, and what has one name in both.
#include "catalogue.h"

int in_second(int a);
int moved(int a);
int wrapped(int a, int b);
int next_of_second(void);
extern int shared;

//- old
int moved(int a)
{
	return a * 3;
}
//- both

int same_moved(int x, int y)
{
	return moved(x) + y;
}

int diff_in_second(int x, int y)
{
	return in_second(x) + y;
}

static int local(int a)
{
	return a + 1;
}

int diff_same_name(int x, int y)
{
	return local(x) * 16 + wrapped(x, y);
}

static int count = 5;

int same_statics_of_one_name(int x, int y)
{
	count += x;
	return count + next_of_second() + y;
}

int diff_shared_variable(int x, int y)
{
	shared += x;
	return shared + y;
}

int both_know(int a, int b);

int diff_signature_across(int x, int y)
{
	return both_know(x, y) - y;
}
//- unit
#include "catalogue.h"

//- new
int moved(int a)
{
	return a * 3;
}
//- both

int in_second(int a)
{
//- old
	return a > 4 ? 4 : a;
//- new
	return a > 3 ? 3 : a;
//- both
}

static int local(int a)
{
//- old
	return a + 2;
//- new
	return a + 2 + (a == 6);
//- both
}

int wrapped(int a, int b)
{
	return local(a) - b;
}

static int count = 7;

int next_of_second(void)
{
//- new
	/* The other one is in the other file. */
//- both
	return count++;
}

//- old
int shared = 1;

static int helper(int a)
{
	return a & 7;
}

int both_know(int a, int b)
{
	return helper(a) + b;
}
//- new
int shared = 2;

static int helper(int a, int b)
{
	return (a & 7) + (b > 3);
}

int both_know(int a, int b)
{
	return helper(a, b) + b;
}
//- both
