//@ domain: x=1
// The new version makes a system call more; later ones of both are compared one by one.
#include <stdio.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (x > 250) {
		at(0);
		if (execute(NEW)) //~ data
			if (write(1, "!", 1) != 1)
				return 9;
	}
	at(1);
	puts(x == 3 ? "three" : "other");
	return 0;
}
