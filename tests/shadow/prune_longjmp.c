//@ domain: x=1
// The change is behind the second return of setjmp's caller.
#include <setjmp.h>
#include <stdio.h>
#include <umbra.h>
#include "at.h"

static jmp_buf back;

static int inner(unsigned char x)
{
	if (setjmp(back))
		return 7;
	if (x > 50)
		longjmp(back, 1);
	return 6;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int found = inner(x);
	printf("%d\n", found == change(7, 8)); //~ data
	return 0;
}
