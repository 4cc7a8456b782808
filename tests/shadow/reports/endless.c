//@ diff: --complete --no-replay --max-instructions 20000000 PROGRAM
//@ diff: --complete --no-replay --max-instructions 20000000 --require-complete PROGRAM
//@ diff: --max-around-instructions 0 --no-replay --max-point-instructions 3000000 --max-instructions 20000000 --object x=61 PROGRAM
// The new version does not end where the byte is 'z', the old one where it is 'y'; where it is 'b', which is looked at later, they part too.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile unsigned n = 0;
	while (change(n < 3 || x == 'y', n < 3 || x == 'z'))
		n++;
	printf("%u\n", n);
	if (change(x == 'b', 0))
		puts("b");
	return 0;
}
