//@ domain: x=1
// The new version asks for the time and for its process id once more: no divergence.
#include <stdio.h>
#include <time.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	time_t extra = 0;
	if (execute(NEW))
		extra = time(NULL) + getpid();
	at(0);
	time_t now = time(NULL);
	if (execute(NEW) && extra == 0)
		now = 0;
	at(1);
	int fits = now > 0 && getpid() > 0;
	printf("%d\n", x == 1 && fits);
	return 0;
}
