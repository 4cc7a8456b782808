//@ seed: plain text
//@ native: output-difference
// No test comes to the change: two letters of the first argument lead there, one after the other.
#include <stdio.h>
#include <umbra.h>

static int quoted(const char *text)
{
	int count = 0;
	for (; *text; text++)
		if (*text == '"')
			count++;
	return change(count, count / 2); //~ data
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (argv[1][0] == 'q') {
		if (argv[1][1] == 'c')
			printf("%d\n", quoted(argv[2]));
		else
			puts("which");
		return 0;
	}
	puts(argv[2]);
	return 0;
}
