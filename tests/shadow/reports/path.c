//@ diff: --max-around-instructions 0 PROGRAM -n 40
//@ diff: --complete --no-replay --sym args=2..2x2 PROGRAM
// The path to a divergence: a loop over an option's letters, branches inside the libc, the branch at
// which the versions part.
#include <stdlib.h>
#include <umbra.h>

static int quiet;

static int option(const char *word)
{
	for (word++; *word; word++) {
		if (*word == 'q')
			quiet = 1;
	}
	return quiet;
}

int main(int argc, char **argv)
{
	if (argc < 3 || argv[1][0] != '-')
		return 1;
	option(argv[1]);
	int n = atoi(argv[2]);
	if (quiet && n > 7)
		return 0;
	if (change(n > 50, n >= 50))
		return 2;
	return 3;
}
