//@ diff: --complete --no-replay --max-query-time 1ms PROGRAM
// A question that takes too long is left open: the outputs are not called the same.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	unsigned a, b;
	umbra_symbolic(&a, sizeof a, "a");
	umbra_symbolic(&b, sizeof b, "b");
	unsigned long product = (unsigned long)a * b;
	printf("%d\n", change(0, product == 1000000016000000063));
	return 0;
}
