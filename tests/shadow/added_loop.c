//@ domain: x=u8:0..40
// A loop that only the new version has, with as many rounds as the input says.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	umbra_assume(x < 40);
	int sum = x * (x - 1) / 2;
	if (execute(NEW)) {
		sum = 0;
		for (int i = 0; i < x; i++)
			sum += i;
	}
	at(0);
	return sum & 0x3f;
}
