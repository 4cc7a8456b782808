
#if defined(_GNU_SOURCE) && !defined(__cplusplus)
void *rawmemchr(const void *, int);
#define strndupa(text, most) __extension__ ({ \
	const char *__from = (text); \
	size_t __length = strnlen(__from, (most)); \
	char *__copy = __builtin_alloca(__length + 1); \
	__copy[__length] = 0; \
	(char *)memcpy(__copy, __from, __length); })
#endif
