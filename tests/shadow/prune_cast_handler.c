//@ domain: x=1
// A signal handler that is of another type and was cast: the change is in it.
#include <signal.h>
#include <stdio.h>
#include <umbra.h>
#include "at.h"

static unsigned char x;

static int handler(void)
{
	return putchar(x == 9 ? change('a', 'b') : 'c'); //~ data
}

int main(void)
{
	umbra_symbolic(&x, 1, "x");
	signal(SIGUSR1, (void (*)(int))handler);
	if (x > 100)
		return 1;
	raise(SIGUSR1);
	return 0;
}
