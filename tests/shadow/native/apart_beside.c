//@ seed: 5
//@ apart: 12
// Inputs beside the seed are followed, too, but what the versions do on them (line 14) is not counted with it.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umbra.h>
int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	int length = strcspn(argv[1], change("x", "xy"));
	if (length == 0) //~ output-difference
		printf("%d\n", atoi(change("+1", "1")));
	return 0;
}
