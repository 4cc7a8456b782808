//@ domain: x=1
// An assignment that only the new version has: exact, there is no branch.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int y = 3;
	umbra_symbolic(&x, 1, "x");
	if (execute(NEW)) //~ data
		y = x / 50;
	at(0);
	return y;
}
