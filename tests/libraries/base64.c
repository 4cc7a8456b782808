/* Base64.
 *
 * from: base64_decode
 * fault 1: padding in the middle is taken
 * fault 2: characters are looked up with their sign
 * fault 3: characters behind the padding are taken
 * correct 4: the table is made of ranges
 */
#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

static signed char table[128];

static void fill(void)
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	memset(table, -1, sizeof table);
	for (int i = 0; i < 64; i++) table[(int)letters[i]] = (signed char)i;
}

static int value_of(char c)
{
#if CHANGE == 4
	if (c >= 'A' && c <= 'Z') return c - 'A';
	if (c >= 'a' && c <= 'z') return c - 'a' + 26;
	if (c >= '0' && c <= '9') return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
#elif CHANGE == 2
	return table[(int)c];
#else
	return c & 0x80 ? -1 : table[(int)c];
#endif
}

/* Decodes so many characters; how many bytes that makes, or -1. */
int base64_decode(const char *text, size_t size, unsigned char *bytes)
{
	int count = 0;
	if (size % 4) return -1;
	for (size_t at = 0; at < size; at += 4) {
		int values[4], padding = 0;
		for (int i = 0; i < 4; i++) {
			if (text[at + i] == '=') {
#if CHANGE == 1
				if (i < 2) return -1;
#else
				if (i < 2 || at + 4 < size) return -1;
#endif
				values[i] = 0;
				padding++;
			} else {
				values[i] = value_of(text[at + i]);
				if (values[i] < 0) return -1;
#if CHANGE != 3
				if (padding) return -1;
#endif
			}
		}
		int group = values[0] << 18 | values[1] << 12 | values[2] << 6 | values[3];
		for (int i = 0; i < 3 - padding; i++) bytes[count++] = (unsigned char)(group >> (16 - 8 * i));
	}
	return count;
}

int main(void)
{
	unsigned char bytes[16];
	fill();
	assert(base64_decode("aGVsbG8h", 8, bytes) == 6 && !memcmp(bytes, "hello!", 6));
	assert(base64_decode("aGk=", 4, bytes) == 2);
	return 0;
}
