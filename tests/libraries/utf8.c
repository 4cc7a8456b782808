/* Texts in UTF-8.
 *
 * from: utf8_length
 * fault 1: overlong forms of two bytes are taken
 * fault 2: the last character may be cut off, and is read behind its end
 * fault 3: surrogates are taken
 * correct 4: the length of a character is looked up in another order
 */
#include <assert.h>
#include <stddef.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

/* Bytes of a character, by its first one; 0 if none begins so. */
static int bytes_of(unsigned char first)
{
#if CHANGE == 4
	if (first >= 0xf0) return first < 0xf5 ? 4 : 0;
	if (first >= 0xe0) return 3;
	if (first >= 0xc2) return 2;
	return first < 0x80;
#else
	if (first < 0x80) return 1;
#if CHANGE == 1
	if (first < 0xc0) return 0;
#else
	if (first < 0xc2) return 0;
#endif
	if (first < 0xe0) return 2;
	if (first < 0xf0) return 3;
	return first < 0xf5 ? 4 : 0;
#endif
}

/* How many characters there are in these bytes; -1 if they are not UTF-8. */
int utf8_length(const void *data, size_t size)
{
	const unsigned char *bytes = data, *end = bytes + size;
	int count = 0;
	while (bytes < end) {
		int length = bytes_of(*bytes);
		if (!length) return -1;
#if CHANGE != 2
		if (length > end - bytes) return -1;
#endif
		for (int i = 1; i < length; i++)
			if ((bytes[i] & 0xc0) != 0x80) return -1;
		if (length == 3 && bytes[0] == 0xe0 && bytes[1] < 0xa0) return -1;
#if CHANGE != 3
		if (length == 3 && bytes[0] == 0xed && bytes[1] >= 0xa0) return -1;
#endif
		bytes += length;
		count++;
	}
	return count;
}

int main(void)
{
	static const char text[] = "a\303\244\342\202\254";
	assert(utf8_length(text, strlen(text)) == 3);
	assert(utf8_length("abc", 3) == 3);
	assert(utf8_length("\377", 1) == -1);
	return 0;
}
