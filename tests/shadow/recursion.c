//@ domain: x=u8:0..12
// A changed base case of a recursion: the versions part at different depths.
#include <umbra.h>
#include "at.h"

static int count(int n)
{
	if (change(n <= 0, n <= 1)) { //~ control
		at(0);
		return n;
	}
	at(1);
	return count(n - 1) + count(n - 3);
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	umbra_assume(x < 12);
	return count(x) & 0x7f;
}
