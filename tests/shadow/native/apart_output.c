//@ seed: 5
//@ apart: 13 15
// Once others have seen different text, the versions have parted in data: text in a buffer (line 15) nobody has seen yet. What each does
// alone before that counts, not what comes behind.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	printf("%d\n", atoi(change("+1", "1"))); // the same number from another text
	fflush(stdout);
	puts(change("below nine", "less than nine")); //~ output-difference
	fflush(stdout);
	for (int i = 0; i < 3; i++) {
		puts("more");
		fflush(stdout);
	}
	return 0;
}
