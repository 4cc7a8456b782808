//@ seed: 1ab
//@ native: regression
// Behind the split only the new version asks, two questions, and fails if both are answered.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	const char *s = argv[1];
	if (change(s[0] == '2', s[0] == '2' || s[0] == '3')) { //~ regression
		if (s[1] == 'k' && s[2] == 'x' && s[0] == '3')
			abort();
		puts("two");
		return 0;
	}
	puts("two");
	return 0;
}
