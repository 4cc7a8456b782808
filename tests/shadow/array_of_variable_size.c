//@ domain: x=1
// A local array whose size differs.
#include <string.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int n = (x & 3) + 2;
	char a[change(n, n * 2)];
	memset(a, x, sizeof a);
	at(0);
	a[1] = 5;
	if (sizeof a > 4) { //~ control
		at(1);
		return a[0] == a[1];
	}
	return a[1];
}
