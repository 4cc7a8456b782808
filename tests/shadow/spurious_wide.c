//@ domain: x=1
// `change` around more than what differs: the function is run by each version alone, so what parts them
// inside goes unnoticed. Written as deep as possible, it does not.
#include <umbra.h>
#include "at.h"

static int grade(int n)
{
	return n > 100 ? 3 : n > 50 ? 2 : 1;
}

static int traced_grade(int n)
{
	if (n > 100) { //~ control
		at(0);
		return 3;
	}
	at(1);
	return 1;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int wide = change(grade(x), grade(x | 2)); //~ data
	int deep = traced_grade(change(x, x | 8));
	at(2);
	return 4 * wide + deep;
}
