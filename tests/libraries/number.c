/* Decimal numbers.
 *
 * from: parse_number
 * fault 1: a sign alone is a number
 * fault 2: numbers that are too large are cut
 * fault 3: what follows a number is ignored if it is a space
 * correct 4: the loop counts down from the end
 * correct 5: the test for a digit is a table
 */
#include <assert.h>
#include <limits.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

static int is_digit(char c)
{
#if CHANGE == 5
	static const char table[256] = {
		['0'] = 1, ['1'] = 1, ['2'] = 1, ['3'] = 1, ['4'] = 1,
		['5'] = 1, ['6'] = 1, ['7'] = 1, ['8'] = 1, ['9'] = 1,
	};
	return table[(unsigned char)c];
#else
	return c >= '0' && c <= '9';
#endif
}

/* The value of a text; -1 if it is no number of 0 to 99999 with or without a sign. */
int parse_number(const char *text, int *value)
{
	int sign = 1, number = 0, digits = 0;
	if (*text == '-' || *text == '+') sign = *text++ == '-' ? -1 : 1;
#if CHANGE == 4
	int left = (int)strlen(text);
	for (; left > 0; left--, text++) {
		if (!is_digit(*text)) return -1;
#else
	for (; *text; text++) {
#if CHANGE == 3
		if (*text == ' ' && digits) break;
#endif
		if (!is_digit(*text)) return -1;
#endif
		number = number * 10 + (*text - '0');
		digits++;
#if CHANGE == 2
		if (digits == 6) break;
#else
		if (number > 99999) return -1;
#endif
	}
#if CHANGE != 1
	if (!digits) return -1;
#endif
	*value = sign * number;
	return 0;
}

int main(void)
{
	int value = 0;
	assert(parse_number("42", &value) == 0 && value == 42);
	assert(parse_number("-17", &value) == 0 && value == -17);
	assert(parse_number("12345", &value) == 0 && value == 12345);
	assert(parse_number("x", &value) == -1);
	return 0;
}
