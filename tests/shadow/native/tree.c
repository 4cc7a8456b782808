//@ seed: 5
// A file that only one version writes.
#include <stdio.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	if (change(0, argv[1][0] == '7')) { //~ output-difference
		FILE *file = fopen("seven", "w");
		if (file)
			fclose(file);
	}
	return 0;
}
