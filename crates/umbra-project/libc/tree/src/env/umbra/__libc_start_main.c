/* The file's only assembly is an empty barrier. */
#define __asm__(...)
#include "../__libc_start_main.c"
