#include <string.h>
#include <sys/uio.h>
#include <features.h>
#include "syscall.h"
#include "runtime.h"

#define MOST 12

void __umbra_say(const char *const *texts)
{
	struct iovec parts[MOST];
	int count;
	for (count = 0; count < MOST && texts[count]; count++) {
		parts[count].iov_base = (void *)texts[count];
		parts[count].iov_len = strlen(texts[count]);
	}
	/* There is nobody to tell that nobody could be told. */
	__syscall(SYS_writev, 2, parts, count);
}

_Noreturn void __umbra_exit(int status)
{
	for (;;) __syscall(SYS_exit_group, status);
}
