//@ domain: x=1
// Code of the new version jumps to where the old one also comes: with nothing in between there is
// no divergence, with something there is.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = 1;
	if (execute(NEW)) { //~ control
		if (x < 5)
			goto out;
		y = 1;
	}
	at(0);
	y = 2;
out:
	at(1);
	return y;
}
