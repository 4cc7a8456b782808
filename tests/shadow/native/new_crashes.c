//@ seed: 5
//@ seed: 0
// The new version divides by a number that the old one refuses.
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int n = argv[1][0] - '0';
	if (change(n <= 0, n < 0)) //~ regression
		return 2;
	return 10 / n > 3;
}
