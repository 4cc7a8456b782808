//@ domain: a=u8:0..6 b=u8:0..6 c=u8:0..6
// A comparator that got another order: the program's own branch is where the versions part.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

static int compare(const void *one, const void *other)
{
	int a = *(const unsigned char *)one, b = *(const unsigned char *)other;
	if (change(a < b, a % 4 < b % 4)) { //~ control
		at(0);
		return -1;
	}
	at(1);
	return 1;
}

int main(void)
{
	unsigned char v[3];
	umbra_symbolic(&v[0], 1, "a");
	umbra_symbolic(&v[1], 1, "b");
	umbra_symbolic(&v[2], 1, "c");
	for (int i = 0; i < 3; i++)
		umbra_assume(v[i] < 6);
	qsort(v, 3, 1, compare);
	at(2);
	return v[0] * 16 + v[1];
}
