//@ domain: x=1
// Behind the split each version makes a child of its own.
#include <stdio.h>
#include <sys/wait.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

static int asked(unsigned char y, int limit)
{
	pid_t child = fork();
	if (child == 0)
		_exit(y > limit);
	int status;
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	if (change(x < 9, x < 5)) { //~ control
		at(1);
		return asked(y, 10);
	}
	at(2);
	return asked(y, 12);
}
