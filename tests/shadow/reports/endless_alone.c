//@ diff: --complete --no-replay --max-instructions 20000000 PROGRAM
//@ diff: --complete --no-replay --max-instructions 20000000 --require-complete PROGRAM
// Where the byte is 'z' neither version ends, and before any change: that is no divergence, and nothing is known of it. All other
// paths are followed meanwhile.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	volatile unsigned n = 0;
	while (x == 'z')
		n++;
	unsigned char y = change(x, x | 0);
	return y > 100;
}
