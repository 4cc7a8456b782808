
#ifndef __COMPAR_FN_T
#define __COMPAR_FN_T
typedef int (*__compar_fn_t)(const void *, const void *);
#ifdef _GNU_SOURCE
typedef __compar_fn_t comparison_fn_t;
typedef int (*__compar_d_fn_t)(const void *, const void *, void *);
#ifdef __cplusplus
extern "C"
#endif
char *canonicalize_file_name(const char *);
#endif
#endif
