//@ seed: 5
//@ flags: --max-alone 20000 --max-run-time 1s
// The old version does not end on one input.
#include <umbra.h>

static volatile unsigned turns;

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	if (change(argv[1][0] == '7', 0)) //~ fix
		for (;;)
			turns++;
	return 0;
}
