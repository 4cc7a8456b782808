/* Macros of glibc and the BSDs that headers of programs are written with. */
#ifndef _SYS_CDEFS_H
#define _SYS_CDEFS_H

#ifdef __cplusplus
#define __BEGIN_DECLS extern "C" {
#define __END_DECLS }
#define __THROW throw()
#else
#define __BEGIN_DECLS
#define __END_DECLS
#define __THROW __attribute__((__nothrow__))
#endif

#define __P(arguments) arguments
#define __PMT(arguments) arguments
#define __CONCAT(one, other) one ## other
#define __STRING(text) #text
#define __ptr_t void *

#endif
