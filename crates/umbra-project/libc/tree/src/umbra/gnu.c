#define _GNU_SOURCE
#include <execinfo.h>
#include <malloc.h>
#include <stdlib.h>

/* What programs ask glibc's allocator. Ours has nothing to say and nothing to set. */

struct mallinfo mallinfo(void)
{
	return (struct mallinfo){0};
}

struct mallinfo2 mallinfo2(void)
{
	return (struct mallinfo2){0};
}

int mallopt(int option, int value)
{
	return 1;
}

int malloc_trim(size_t room)
{
	return 0;
}

void malloc_stats(void)
{
}

int backtrace(void **frames, int most)
{
	return 0;
}

char **backtrace_symbols(void *const *frames, int count)
{
	return calloc(1, sizeof(char *));
}

void backtrace_symbols_fd(void *const *frames, int count, int file)
{
}

char *canonicalize_file_name(const char *path)
{
	return realpath(path, 0);
}
