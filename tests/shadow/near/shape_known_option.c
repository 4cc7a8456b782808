//@ seed: -v text
//@ flags: --max-shapes 48 --max-time 30s
//@ native: output-difference
// Only a long option, which no test has, leads to the change. The program's own words name it.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	int show = 0;
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-showmap") == 0)
			show = 1;
		else if (strcmp(argv[i], "-v") == 0)
			puts("verbose");
		else if (show)
			printf("%d\n", change((int)strlen(argv[i]), 10)); //~ data
		else
			puts(argv[i]);
	}
	return 0;
}
