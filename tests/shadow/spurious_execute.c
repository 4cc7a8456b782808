//@ domain: x=1
// `execute` around code that both versions have: its branches are compared by their effects only. The
// same code outside parts the versions where they take different ways.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = change(x, x | 1), hidden = 0;
	if (execute(OLD)) { //~ data
		if (y > 100)
			hidden = 1;
	} else {
		if (y > 100)
			hidden = 1;
	}
	at(0);
	if (x < 200) {
		at(1);
		return hidden;
	}
	if (y > 240) { //~ control
		at(2);
		return 7;
	}
	at(3);
	return 8;
}
