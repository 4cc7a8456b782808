//@ domain: x=1
// A division with all four outcomes: neither version fails, one of them, both.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile int whole = 60;
	int part = change(x & 3, x >> 2 & 3); //~ data
	at(0);
	int result = whole / part; //~ control
	at(1);
	return result;
}
