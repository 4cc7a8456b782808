//@ domain: x=1
// A variable that was added, one that was removed, and one of another type.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int added = 0, removed = 0;
	int wide = x * 300;
	short narrow = 0;
	if (execute(NEW)) {
		added = x & 3;
		narrow = (short)(x * 300);
	}
	if (execute(OLD))
		removed = x & 1;
	if (change(wide, (int)narrow) > 30000) { //~ control
		at(0);
		return 1;
	}
	at(1);
	return change(removed, added); //~ data
}
