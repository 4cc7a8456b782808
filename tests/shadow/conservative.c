//@ domain: x=1
// The conservative form: all that was rewritten, in one branch that always parts the versions.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = 0;
	if (change(1, 0)) { //~ control
		at(0);
		y = x + x;
	} else {
		at(1);
		y = 2 * x;
	}
	at(2);
	return y & 0x7f;
}
