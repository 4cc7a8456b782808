//@ domain: x=u8:0..16 y=u8:0..16
// Behind the split both ask for an input of one name: it is the same input.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	int said = 0;
	if (change(x > 12, x > 9)) { //~ control
		at(1);
		umbra_symbolic(&y, 1, "y");
		said = y > 7;
	} else {
		at(2);
		umbra_symbolic(&y, 1, "y");
		said = y > 6;
	}
	putchar('a' + said);
	return 0;
}
