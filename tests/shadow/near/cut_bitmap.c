//@ seed: 2- abcdef
//@ seed: 1,3- abcdef
// After `cut`: the bitmap of wanted bytes is sized by the largest end of a range. The new version
// forgets that a range without an end has a start.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

static size_t largest, open_start;

static size_t number(const char **text)
{
	size_t n = 0;
	while (**text >= '0' && **text <= '9')
		n = 10 * n + (size_t)(*(*text)++ - '0');
	return n;
}

static int parse(const char *list, unsigned char *wanted)
{
	while (*list) {
		size_t start = number(&list), end = start;
		if (start == 0)
			return 0;
		if (*list == '-') {
			list++;
			end = number(&list);
			if (end == 0) {
				open_start = start;
				end = start - 1;
			}
		}
		if (end > largest)
			largest = end;
		for (size_t i = start; wanted && i <= end; i++)
			wanted[i / 8] |= (unsigned char)(1 << i % 8);
		if (*list == ',')
			list++;
		else if (*list)
			return 0;
	}
	return 1;
}

int main(int argc, char **argv)
{
	if (argc < 3 || !parse(argv[1], NULL)) {
		puts("bad list");
		return 1;
	}
	size_t both = largest > open_start ? largest : open_start;
	unsigned char *wanted = calloc(change(both, largest) / 8 + 1, 1);
	if (!wanted)
		return 2;
	parse(argv[1], wanted);
	if (open_start)
		wanted[open_start / 8] |= (unsigned char)(1 << open_start % 8); //~ regression
	for (size_t i = 1; argv[2][i - 1]; i++)
		if ((open_start && i >= open_start) || (i <= largest && wanted[i / 8] >> i % 8 & 1))
			putchar(argv[2][i - 1]);
	putchar('\n');
	return 0;
}
