//@ seed: 5
// Both versions fail on the input on which they part: no regression.
#include <stdlib.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int n = argv[1][0] - '0';
	if (change(n == 0, n <= 0)) //~ same
		n = 0;
	if (n <= 0)
		abort();
	return 0;
}
