//@ seed: 5
// Both versions print something random, so that native runs do not tell.
#include <stdio.h>
#include <sys/random.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	unsigned long number = 0;
	if (argc < 2 || getrandom(&number, sizeof number, 0) != sizeof number)
		return 1;
	printf("%lu\n", number);
	if (change(argv[1][0] > '7', argv[1][0] >= '7')) //~ flaky
		puts("large");
	else
		puts("small");
	return 0;
}
