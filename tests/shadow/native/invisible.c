//@ seed: 5
// The versions take different ways, and nobody sees it.
#include <umbra.h>

static int last;

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	if (change(argv[1][0] > '7', argv[1][0] >= '7')) //~ same
		last = 1;
	else
		last = 2;
	return 0;
}
