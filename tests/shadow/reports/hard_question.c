//@ diff: --complete --no-replay --max-query-time 1ms PROGRAM
// A question that the solver does not answer in its time: the versions are then not called equivalent.
#include <umbra.h>

int main(void)
{
	unsigned long a, b;
	umbra_symbolic(&a, sizeof a, "a");
	umbra_symbolic(&b, sizeof b, "b");
	umbra_assume(a > 1 && b > 1 && a < 0x100000000 && b < 0x100000000);
	return change(a * b == 0xd6e8feb866595e1d, 0);
}
