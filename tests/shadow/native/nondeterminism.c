//@ seed: 5
// Only the new version prints something random.
#include <stdio.h>
#include <sys/random.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	unsigned long number = 0;
	if (argc < 2)
		return 1;
	if (change(0, argv[1][0] == '7')) { //~ nondeterminism-introduced
		if (getrandom(&number, sizeof number, 0) == sizeof number)
			printf("%lu\n", number);
	}
	return 0;
}
