//@ domain: x=1
//@ replay: no, a use after free does not show natively
// The new version frees too early, on one path.
#include <stdlib.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char *p = malloc(4);
	if (!p)
		return 9;
	p[0] = 1;
	if (execute(NEW))
		if (x == 66)
			free(p);
	at(0);
	p[1] = 2; //~ control
	int result = p[0];
	if (execute(OLD) || x != 66)
		free(p);
	return result;
}
