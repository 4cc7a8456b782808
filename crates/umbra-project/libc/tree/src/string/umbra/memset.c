/* The engine fills memory itself. */
#include <string.h>
void *__umbra_memset(void *, int, size_t);
void *memset(void *to, int byte, size_t length)
{
	return __umbra_memset(to, byte, length);
}
