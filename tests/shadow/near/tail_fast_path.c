//@ seed: 12 abcdef
// After `tail -c`: a fast path for small counts, which forgets that there may be fewer bytes.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 3)
		return 1;
	int count = atoi(argv[1]);
	int size = (int)strlen(argv[2]);
	int start = size > count ? size - count : 0;
	if (execute(NEW))
		if (count < 10)
			start = size - count;
	char *text = malloc((size_t)size + 1);
	if (!text || count < 0)
		return 2;
	memcpy(text, argv[2], (size_t)size + 1);
	for (int i = start; i < size; i++) //~ regression
		putchar(text[i]); //~ regression
	putchar('\n');
	return 0;
}
