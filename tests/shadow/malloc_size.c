//@ domain: x=1
// An allocation whose size differs, in which both versions stay.
#include <stdlib.h>
#include <string.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int n = (x & 3) + 1;
	char *p = malloc(change(n, n + 4));
	if (!p)
		return 9;
	at(0);
	memset(p, 'a', n);
	p[n - 1] = (char)x;
	p = realloc(p, 16);
	at(1);
	int result = p[0] == 'a';
	free(p);
	return result;
}
