//@ domain: x=1
// setjmp and longjmp both in code of the new version: it comes back to where the old one waits.
#include <setjmp.h>
#include <umbra.h>
#include "at.h"

static jmp_buf place;

static void give_up(int n)
{
	if (n > 3)
		longjmp(place, n);
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile int y = 0;
	if (execute(NEW)) { //~ data
		int code = setjmp(place);
		if (code == 0)
			give_up(x & 7);
		else
			y = code;
	}
	at(0);
	return y;
}
