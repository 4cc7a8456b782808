/* at(n): a place that both versions have. A build with -DTRACE writes which ones it passes. */
#ifdef TRACE
#include <unistd.h>
static void at(int place)
{
	char text[2] = { (char)('A' + place), '\n' };
	if (write(2, text, 2) != 2) _exit(97);
}
#else
#define at(place) ((void)0)
#endif
