
/* Programs written for glibc count on these without asking for them. */
#ifndef __UMBRA_FEATURES
#define __UMBRA_FEATURES
#define __GNUC_PREREQ(major, minor) ((__GNUC__ << 16) + __GNUC_MINOR__ >= ((major) << 16) + (minor))
#define __GLIBC_PREREQ(major, minor) 0
#include <sys/cdefs.h>
#endif
