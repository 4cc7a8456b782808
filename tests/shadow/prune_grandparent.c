//@ domain: x=1
// The change is two processes away from where the states fork.
#include <stdio.h>
#include <sys/wait.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

static int child_of(int (*work)(unsigned char), unsigned char x)
{
	pid_t child = fork();
	if (child == 0)
		_exit(work(x));
	int status;
	waitpid(child, &status, 0);
	return WEXITSTATUS(status);
}

static int innermost(unsigned char x)
{
	return x < 100 ? 1 : x < 200 ? 2 : 3;
}

static int middle(unsigned char x)
{
	return child_of(innermost, x);
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int found = child_of(middle, x);
	if (found == change(2, 3)) { //~ control
		at(1);
		return 1;
	}
	at(2);
	return 0;
}
