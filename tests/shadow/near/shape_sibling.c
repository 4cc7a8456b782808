//@ seed: -c=red
//@ flags: --max-shapes 24 --max-time 24s
//@ native: output-difference
// The change is about another word of the table that has the test's own, and does not name it.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

static const char *const colours[] = { "red", "ultramarine", "green" };

int main(int argc, char **argv)
{
	int found = 3;
	for (int i = 0; i < 3; i++) {
		if (strcmp(argv[1] + strcspn(argv[1], "=") + 1, colours[i]) == 0)
			found = i;
	}
	printf("%d\n", change(found, found == 1 ? 4 : found)); //~ data
	return 0;
}
