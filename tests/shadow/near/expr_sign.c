//@ seed: -5 + 3
//@ seed: 4 / 2
// After `expr`: the new version loses the sign of some numbers, and says more about a division by
// zero.
#include <stdio.h>
#include <stdlib.h>
#include <umbra.h>

static int number(const char *text)
{
	int negative = change(text[0] == '-', text[0] == '-' && text[1] > '1');
	int n = 0;
	if (text[0] == '-')
		text++;
	for (; *text >= '0' && *text <= '9'; text++)
		n = 10 * n + (*text - '0');
	return negative ? -n : n; //~ control
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 2;
	int left = number(argv[1]), right = number(argv[3]);
	switch (argv[2][0]) {
	case '+':
		printf("%d\n", left + right);
		break;
	case '/':
		if (right == 0) {
			puts(change("division by zero", "division of a number by zero")); //~ data
			return 2;
		}
		printf("%d\n", left / right);
		break;
	default:
		return 3;
	}
	return left + right == 0;
}
