//@ seed: -c 3 -c 4
//@ seed: -c 1
//@ flags: --max-shapes 24 --max-time 30s
//@ native: regression
// The new version no longer asks whether the last option has a value. No other bytes of the test show that: an argument
// must be missing.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	int count = 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-c") != 0)
			return 2;
		if (change(i + 1 >= argc, 0)) { //~ regression
			puts("a value is missing");
			return 1;
		}
		count += argv[++i][0] - '0';
	}
	printf("%d\n", count);
	return 0;
}
