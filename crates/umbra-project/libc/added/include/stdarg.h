
#ifndef __va_copy
#define __va_copy(d,s) __builtin_va_copy(d,s)
#endif
