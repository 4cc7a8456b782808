// After coreutils' tail and patch's CVE fixes: a check that was made twice is made once, where the value is read, with another message.
//@ lockstep: 99
//@ test: 12 lines
//@ test: 7 words
//@ test: x lines
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//- old
static long number(const char *text)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	return errno || *end || end == text ? -1 : value;
}
//- new
static long number(const char *text, const char *what)
{
	char *end;
	errno = 0;
	long value = strtol(text, &end, 10);
	if (errno || *end || end == text || value < 0) {
		fprintf(stderr, "invalid number of %s: %s\n", what, text);
		exit(1);
	}
	return value;
}
//- both

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
//- old
	long count = number(argv[1]);
	if (count < 0) {
		fprintf(stderr, "invalid number: %s\n", argv[1]);
		return 1;
	}
//- new
	long count = number(argv[1], argv[2]);
//- both
	for (long i = 0; i < count && i < 20; i++)
		printf("%ld %s\n", i, argv[2]);
	return 0;
}
