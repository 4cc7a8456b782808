//@ domain: x=1
// A change that matters in a child process, and in its parent.
#include <stdio.h>
#include <sys/wait.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int limit = change(100, 120);
	pid_t child = fork();
	if (child == 0) {
		if (x > limit) { //~ control
			at(1);
			_exit(1);
		}
		at(2);
		_exit(2);
	}
	int status;
	waitpid(child, &status, 0);
	at(WEXITSTATUS(status));
	if (x + limit == 125) { //~ control
		at(5);
		return 5;
	}
	return WEXITSTATUS(status);
}
