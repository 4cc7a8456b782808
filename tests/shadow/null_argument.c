//@ domain: x=1
// `change(*p, p ? *p : -1)`: only the old version follows a null pointer, and fails.
#include <stddef.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int n = 5;
	umbra_symbolic(&x, 1, "x");
	int *p = x == 0 ? NULL : &n;
	int y = change(*p, p ? *p : -1); //~ control
	at(0);
	return y & 7;
}
