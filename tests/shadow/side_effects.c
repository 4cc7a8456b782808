//@ domain: x=1
// Each argument is evaluated in its own version only.
#include <umbra.h>
#include "at.h"

static int calls;
static int count(int n) { calls += n; return calls; }

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int i = x;
	int y = change(i++, i + 1); //~ data
	y += change(count(x), count(x) + 0);
	int z = change(calls = 3, 4);
	at(0);
	return (y + z + i + calls) & 0x7f;
}
