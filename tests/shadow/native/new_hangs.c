//@ seed: 5
//@ flags: --max-path-instructions 20000 --max-run-time 1s
// The new version does not end on one input: native runs confirm that by their limit on time.
#include <umbra.h>

static volatile unsigned turns;

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	if (change(0, argv[1][0] == '7')) //~ regression
		for (;;)
			turns++;
	return 0;
}
