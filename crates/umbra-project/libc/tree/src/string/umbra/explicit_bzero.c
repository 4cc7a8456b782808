/* The file's only assembly is an empty barrier. */
#define __asm__
#define __volatile__(...)
#include "../explicit_bzero.c"
