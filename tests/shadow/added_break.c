//@ domain: x=1
// Code of the new version leaves a loop.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int sum = 0;
	for (int i = 0; i < 4; i++) {
		at(0);
		if (execute(NEW)) //~ control
			if (x == i + 1)
				break;
		at(1);
		sum += i;
	}
	at(2);
	return sum;
}
