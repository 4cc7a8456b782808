/* Values in queries of addresses: %41 is a letter, + a space.
 *
 * from: decode
 * fault 1: every letter is a hexadecimal digit
 * fault 2: the end is written behind the room for a value that fills it
 * fault 3: a single % at the end is left as it is
 * correct 4: digits are looked up in a text
 * correct 5: spaces are written last
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

static int digit_of(char c)
{
#if CHANGE == 4
	static const char digits[] = "0123456789abcdef0123456789ABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;
	return found ? (int)(found - digits) % 16 : -1;
#else
	if (c >= '0' && c <= '9') return c - '0';
#if CHANGE == 1
	if (c >= 'a' && c <= 'z') return c - 'a' + 10;
#else
	if (c >= 'a' && c <= 'f') return c - 'a' + 10;
#endif
	if (c >= 'A' && c <= 'F') return c - 'A' + 10;
	return -1;
#endif
}

/* Writes the value and its end to `room` bytes; its length, or -1. */
int decode(const char *text, char *value, size_t room)
{
	size_t length = 0;
	for (; *text; text++) {
		int c = (unsigned char)*text;
#if CHANGE == 5
		if (c == '%') {
#else
		if (c == '+') {
			c = ' ';
		} else if (c == '%') {
#endif
#if CHANGE == 3
			if (text[1]) {
#endif
			int high = digit_of(text[1]);
			int low = high < 0 ? -1 : digit_of(text[2]);
			if (low < 0) return -1;
			c = 16 * high + low;
			text += 2;
#if CHANGE == 3
			}
#endif
#if CHANGE == 5
		} else if (c == '+') {
			c = ' ';
#endif
		}
#if CHANGE == 2
		if (length == room) return -1;
#else
		if (length + 1 >= room) return -1;
#endif
		value[length++] = (char)c;
	}
	value[length] = 0;
	return (int)length;
}

int main(void)
{
	char *value = malloc(4);
	if (!value) return 1;
	assert(decode("a+b", value, 4) == 3 && !strcmp(value, "a b"));
	assert(decode("%41", value, 4) == 1 && !strcmp(value, "A"));
	assert(decode("%4", value, 4) == -1);
	free(value);
	return 0;
}
