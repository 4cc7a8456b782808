//@ domain: x=1
// A call through a modified pointer: different functions part the versions.
#include <umbra.h>
#include "at.h"

static int one(int n) { at(0); return n + 1; }
static int two(int n) { at(1); return n + 2; }
static int (*const table[])(int) = { one, two, one };

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int (*f)(int) = change(table[x % 3], table[x % 2]);
	return f(x) & 0x7f; //~ control
}
