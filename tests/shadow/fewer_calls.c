//@ domain: x=1
// The old version makes a system call, an allocation and a reading of the clock that the new one does
// not: no divergence.
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char *extra = NULL;
	if (execute(OLD)) {
		extra = malloc(100);
		if (!extra || time(NULL) == 0 || getppid() < 0 || write(1, "", 0) != 0)
			return 9;
	}
	at(0);
	char *p = malloc(8);
	time_t now = time(NULL);
	if (!p || now == 0)
		return 8;
	p[0] = (char)x;
	if (execute(OLD))
		free(extra);
	at(1);
	printf("%d\n", p[0] == 5);
	free(p);
	return 0;
}
