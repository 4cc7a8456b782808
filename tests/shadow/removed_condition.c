//@ domain: x=1
//@ paths: 1
// A condition that only the old version has, around code that both have.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = 1;
	if (change(x > 3, 1)) { //~ control
		at(0);
		y = x & 15;
	}
	at(1);
	return y;
}
