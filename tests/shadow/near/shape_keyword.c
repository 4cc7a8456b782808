//@ seed: go
//@ seed: stop now
//@ flags: --max-shapes 24 --max-time 24s
//@ native: output-difference
// The new version knows a word that is longer than anything in the tests.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	int known = strcmp(argv[1], "quartz") == 0;
	printf("%d\n", change(0, known)); //~ data
	return 0;
}
