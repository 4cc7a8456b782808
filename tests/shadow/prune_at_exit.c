//@ domain: x=1
// The change is in what runs at exit.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

static unsigned char x;

static void last(void)
{
	putchar(x < change(5, 6) ? 'l' : 'r'); //~ data
}

int main(void)
{
	umbra_symbolic(&x, 1, "x");
	atexit(last);
	if (x > 100)
		exit(x > 200);
	return 2;
}
