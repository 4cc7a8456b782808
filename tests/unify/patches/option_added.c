// After netcat's so-keepalive: one more option, in the string for getopt and in the help.
//@ lockstep: 98
//@ test: -v -n one two
//@ test: -w 3 one
//@ test: one
//@ test: -h
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int verbose, numeric, keep;

static void help(void)
{
	puts("usage: call [-options] host [ports]\n"
	     "  -h        this\n"
//- new
	     "  -k        keep the connection alive\n"
//- both
	     "  -n        numbers only\n"
	     "  -v        say more\n"
	     "  -w secs   wait");
}

int main(int argc, char **argv)
{
	int c, wait = 0;
//- old
	while ((c = getopt(argc, argv, "hnvw:")) != -1) {
//- new
	while ((c = getopt(argc, argv, "hknvw:")) != -1) {
//- both
		switch (c) {
		case 'h':
			help();
			return 0;
//- new
		case 'k':
			keep = 1;
			break;
//- both
		case 'n':
			numeric = 1;
			break;
		case 'v':
			verbose++;
			break;
		case 'w':
			wait = atoi(optarg);
			break;
		default:
			return 2;
		}
	}
	if (optind == argc)
		return 1;
	for (; optind < argc; optind++)
		printf("%s%s after %d\n", argv[optind], numeric ? " (number)" : "", wait);
	return keep + 3 * (verbose > 1);
}
