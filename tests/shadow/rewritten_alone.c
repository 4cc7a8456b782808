//@ domain: x=1
// Code that was rewritten, each piece in its own version: only what they have left behind counts.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int y = 0;
	umbra_symbolic(&x, 1, "x");
	if (execute(OLD)) { //~ data
		for (int i = 0; i < 8; i++)
			if (x >> i & 1)
				y++;
	} else {
		for (unsigned rest = x; rest; rest &= rest - 1)
			y += rest == 0x90 ? 2 : 1;
	}
	at(0);
	return y;
}
