//@ domain: x=1
// Objects that live in one version only, or longer in one: what is allocated afterwards is not mixed up.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char *p = malloc(4), *q;
	if (!p)
		return 9;
	p[0] = 1;
	if (execute(OLD))
		free(p);
	at(0);
	q = malloc(4);
	if (!q)
		return 9;
	q[0] = (char)(x & 1);
	if (execute(NEW)) { //~ data
		if (x > 250)
			q[0] = (char)(q[0] + p[0]);
		free(p);
	}
	at(1);
	int result = q[0];
	free(q);
	return result;
}
