//@ domain: x=u8:0..20
// Output of different lengths, and then more of it.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	umbra_assume(x < 20);
	printf("%d,", change(x, x < 5 ? x : x + 1)); //~ data
	at(0);
	printf("%d\n", 7);
	at(1);
	return 0;
}
