//@ seed: 3 abcdef
//@ seed: 1 abcdefgh
// After `tail`: how many bytes are left out is said in words; the new version has the wrong word for some
// numbers.
#include <stdio.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 3 || argv[1][0] < '0' || argv[1][0] > '9') {
		puts("bad count");
		return 1;
	}
	int wanted = argv[1][0] - '0', length = (int)strlen(argv[2]);
	int start = wanted < length ? length - wanted : 0;
	const char *word = change(wanted == 1 ? "byte" : "bytes", wanted == 1 || wanted > 4 ? "byte" : "bytes"); //~ data
	printf("%d %s: %s\n", wanted, word, argv[2] + start);
	return 0;
}
