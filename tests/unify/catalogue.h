/* What all pairs may use. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <umbra.h>

/* The range of both inputs, as in the domain of the files. */
#define LOW (-12)
#define HIGH 12

/* Writes one byte. */
static inline void emit(int c)
{
	char b = c;
	write(1, &b, 1);
}
