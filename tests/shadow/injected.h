/* Makes a program with symbolic inputs one with two versions: the new version finds 78 where an
 * object that it made symbolic starts with 77. */
#include <umbra.h>
#include <klee/klee.h>

__attribute__((__unused__)) static void injected(void *object, size_t size, const char *name)
{
	unsigned char *bytes = object;
	umbra_symbolic(object, size, name);
	if (execute(NEW))
		if (bytes[0] == 77)
			bytes[0] = 78;
}

#define umbra_symbolic(object, size, name) injected(object, size, name)
#define klee_make_symbolic(object, size, name) injected(object, size, name)
