//@ domain: x=1
// They part in a child process, and go on in the parent with what differs.
#include <stdio.h>
#include <sys/wait.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	y = x >> 4;
	x &= 15;
	int limit = change(5, 8);
	pid_t child = fork();
	if (child == 0) {
		if (x > limit) { //~ control
			at(1);
			_exit(y == 5);
		}
		at(2);
		_exit(y == 5 || y == 6);
	}
	int status;
	waitpid(child, &status, 0);
	if (x + limit == 15 - y / 15) { //~ control
		at(5);
		putchar('x');
	} else
		at(6);
	return WEXITSTATUS(status);
}
