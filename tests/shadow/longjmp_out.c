//@ domain: x=1
// A longjmp out of code of one version, or of both.
#include <setjmp.h>
#include <umbra.h>
#include "at.h"

static jmp_buf place;

static void f(unsigned char x)
{
	if (execute(NEW)) { //~ control
		if (x > 250)
			longjmp(place, x == 255 ? 2 : 1);
	} else {
		if (x > 252)
			longjmp(place, 1);
	}
	at(0);
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int code = setjmp(place);
	if (code == 0) {
		f(x);
		at(1);
		return 0;
	}
	if (code == 2) { //~ control
		at(2);
		return 7;
	}
	at(3);
	return 8;
}
