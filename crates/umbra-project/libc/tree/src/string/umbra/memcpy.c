/* The engine copies memory itself. */
#include <string.h>
void *__umbra_memcpy(void *, const void *, size_t);
void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
	return __umbra_memcpy(to, from, length);
}
