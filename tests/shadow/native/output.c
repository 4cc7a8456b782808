//@ seed: 5
// Another message on one side of a branch that both take together.
#include <stdio.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	if (argv[1][0] < '9')
		puts(change("below nine", "less than nine")); //~ output-difference
	return 0;
}
