//@ domain: x=1
// Behind the split each version leaves a file, and what is in it is all that may differ.
#include <fcntl.h>
#include <stdio.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

static void leave(unsigned char byte)
{
	int file = open("left", O_RDWR | O_CREAT | O_TRUNC, 0600);
	if (write(file, &byte, 1) != 1)
		_exit(9);
	lseek(file, 0, SEEK_SET);
	unsigned char back = 0;
	if (read(file, &back, 1) != 1)
		_exit(8);
	close(file);
	putchar(back == 11 ? '!' : '.');
}

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	if (change(x < 9, x < 7)) { //~ control
		at(1);
		leave(y);
	} else {
		at(2);
		leave(y == 11 ? 12 : y);
	}
	return 0;
}
