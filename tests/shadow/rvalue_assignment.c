//@ domain: x=1
// A modified value in an assignment; the branch on it is where the versions part.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = change(x + 1, x + 2);
	if (y > 10) { //~ control
		at(0);
		puts("big");
	} else {
		at(1);
		puts("small");
	}
	return 0;
}
