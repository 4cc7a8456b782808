//@ seed: 1 2 9
//@ seed: 9 5 3
//@ flags: --max-time 20s --max-path-instructions 20000 --max-point-time 3s
//@ replay: no, the new version does not end
//@ native: regression
// After `seq`: the new version accepts a step of zero, and then counts for ever. Nothing but the time ends what is
// explored from there, since the solver is asked about every round.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 4)
		return 1;
	int first = argv[1][0] - '0', step = argv[2][0] - '0', last = argv[3][0] - '0';
	if (change(step == 0, step < 0)) { //~ control
		puts("a step of zero");
		return 1;
	}
	for (int i = first; i <= last; i += step)
		putchar('0' + i % 10);
	putchar('\n');
	return 0;
}
