//@ domain: x=1
// Only the old version asks more behind the split: on most inputs of the diff path both say the same.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int wide = 0;
	if (change(x >= 8 && x <= 9, 0)) { //~ control
		at(1);
		wide = y == 12;
	} else
		at(2);
	puts(wide ? "wide" : "narrow");
	return 0;
}
