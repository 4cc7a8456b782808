//@ domain: x=1
// The same with `execute(NEW)`: only even inputs show a difference.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = x;
	if (execute(NEW)) { //~ data
		y = x | 1;
	}
	at(1);
	return y & 0x7f;
}
