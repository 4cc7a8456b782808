//@ domain: x=1
// A changed bound of a loop parts the versions in the round where one of them leaves. Where each has a loop
// of its own only the result counts.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int n = x & 3, together = 0, alone = 0;
	if (x & 4) {
		at(0);
		for (int i = 0; i < change(n, 2); i++) { //~ control
			at(1);
			together++;
		}
		at(2);
		return together;
	}
	at(3);
	if (execute(OLD)) { //~ data
		for (int i = 0; i < n; i++)
			alone++;
	} else {
		for (int i = 0; i < 2; i++)
			alone++;
	}
	at(4);
	return alone;
}
