//@ diff: --complete --no-replay PROGRAM
// Versions that call different functions, come to different places alone, and one that has no end.
#include <stdio.h>
#include <umbra.h>

static int half(int n)
{
	return n / 2;
}

static int twice(int n)
{
	return n * 2;
}

int main(void)
{
	unsigned char n;
	umbra_symbolic(&n, 1, "n");
	int (*function)(int) = n < 10 ? change(half, twice) : half;
	int result = function(n);
	if (execute(NEW)) {
		if (n == 20)
			return 4;
		while (n == 30)
			;
	}
	if (n == 40)
		puts(change("forty", "40"));
	return result;
}
