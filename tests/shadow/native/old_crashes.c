//@ seed: 5
// The old version divides by a number that the new one refuses.
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int n = argv[1][0] - '0';
	if (change(n < 0, n <= 0)) //~ fix
		return 2;
	return 10 / n > 3;
}
