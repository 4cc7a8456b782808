//@ domain: x=1
// States fork in a signal handler; the change is where it returns to.
#include <signal.h>
#include <stdio.h>
#include <umbra.h>
#include "at.h"

static unsigned char x;
static volatile int seen;

static void handler(int number)
{
	(void)number;
	seen = x > 100 ? 1 : 2;
}

int main(void)
{
	umbra_symbolic(&x, 1, "x");
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	printf("%d\n", seen + change(0, x == 7)); //~ data
	return 0;
}
