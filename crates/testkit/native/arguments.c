// Gives each argument heap memory of its own, so that AddressSanitizer sees reads behind one.
// Natively the next argument is there. Preloaded, since the program is not to be changed.
#include <stdlib.h>
#include <string.h>

__attribute__((constructor)) static void separate(int count, char **arguments)
{
	for (int i = 0; i < count; i++) {
		char *copy = strdup(arguments[i]);
		if (copy)
			arguments[i] = copy;
	}
}
