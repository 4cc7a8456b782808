//@ seed: 9
//@ flags: --max-shapes 24 --max-time 24s
//@ native: output-difference
// What differs are numbers of five digits, and the test has one. The change names the number.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	printf("%d\n", change(n / 20000, n / 10000)); //~ data
	return 0;
}
