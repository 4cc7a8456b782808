//@ domain: x=1
// A modified argument: it only shows in what is returned.
#include <umbra.h>
#include "at.h"

static int twice(int n) { return 2 * n; }

int main(void)
{
	signed char x;
	umbra_symbolic(&x, 1, "x");
	return twice(change(x, x < 0 ? -x : x)) & 0x7f; //~ data
}
