//@ domain: x=1
// An allocation that only the new version makes, and frees: no divergence.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char *extra = NULL;
	if (execute(NEW))
		extra = malloc(10);
	at(0);
	char *p = malloc(4), *q = malloc(4);
	if (!p || !q)
		return 9;
	p[0] = (char)x;
	q[0] = 1;
	if (execute(NEW)) {
		extra[9] = 3;
		free(extra);
	}
	at(1);
	int result = p[0] == 5 ? q[0] : 0;
	free(p);
	free(q);
	return result;
}
