//@ domain: x=1
//@ paths: 2
// An indirect call with all four outcomes.
#include <umbra.h>
#include "at.h"

static int one(void) { at(0); return 1; }
static int two(void) { at(1); return 2; }

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int (*before)(void) = x & 1 ? one : two;
	int (*after)(void) = x & 2 ? one : two;
	int (*f)(void) = change(before, after);
	return f(); //~ control
}
