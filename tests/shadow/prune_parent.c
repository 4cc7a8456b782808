//@ domain: x=1
//@ pruned: 0
// A child asks while its parent, which has a change to run, waits.
#include <stdio.h>
#include <sys/wait.h>
#include <umbra.h>
#include <unistd.h>
#include "at.h"

static int work(unsigned char x)
{
	return x == 'a' ? 1 : x == 'b' ? 2 : 3;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	pid_t child = fork();
	if (child == 0)
		_exit(work(x));
	int status;
	waitpid(child, &status, 0);
	printf("%d\n", change(1, 2)); //~ data
	return 0;
}
