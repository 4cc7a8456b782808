//@ domain: x=1
// A check that the new version does not pass on one input: a regression.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int divisor = change((x & 7) + 1, x & 7); //~ data
	int y = 100 / divisor; //~ control
	at(0);
	return y == 100;
}
