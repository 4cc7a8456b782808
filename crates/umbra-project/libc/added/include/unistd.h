
#if defined(_GNU_SOURCE) && !defined(TEMP_FAILURE_RETRY)
#include <errno.h>
#define TEMP_FAILURE_RETRY(expression) __extension__ ({ \
	long __result; \
	do __result = (long)(expression); \
	while (__result == -1L && errno == EINTR); \
	__result; })
#endif
