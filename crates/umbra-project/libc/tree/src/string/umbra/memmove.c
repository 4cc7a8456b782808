/* The engine copies memory itself. */
#include <string.h>
void *__umbra_memmove(void *, const void *, size_t);
void *memmove(void *to, const void *from, size_t length)
{
	return __umbra_memmove(to, from, length);
}
