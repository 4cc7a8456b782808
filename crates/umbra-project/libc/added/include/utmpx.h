
#ifndef __UT_NAMESIZE
#define __UT_LINESIZE 32
#define __UT_NAMESIZE 32
#define __UT_HOSTSIZE 256
#endif
