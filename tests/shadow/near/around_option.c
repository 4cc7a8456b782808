//@ seed: -q abc
//@ seed: -w abcd
//@ native: output-difference
// The test runs the change, but the value that differs is used only with another option: behind a branch that both versions
// take together, and that says nothing about the change.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 3 || argv[1][0] != '-')
		return 2;
	int length = (int)strlen(argv[2]);
	int width = change(length, length + 1); //~ data
	if (argv[1][1] == 'v')
		printf("%d\n", width);
	else
		puts("quiet");
	return 0;
}
