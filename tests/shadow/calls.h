/* Buffers for system calls. The input chooses a call and one of its buffers. That buffer lies in an
 * object that starts at another address in the new version, but reaches over the same bytes: each version may use them,
 * and nobody can for both at once. So a call with both versions is refused when it comes to this buffer, whatever
 * it has done before; then each version makes it, and must find everything as it was. */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <umbra.h>

enum { ROOMS = 4, ROOM = 1024, PAGE = 4096 };

static char rooms[ROOMS][ROOM] __attribute__((aligned(64)));
static char *apart;
static unsigned chosen;

/* The buffer of a call with this number. */
static void *room(unsigned number)
{
	return number == chosen ? apart : rooms[number];
}

/* The same with something in it. */
static void *with(unsigned number, const void *bytes, size_t length)
{
	return memcpy(room(number), bytes, length);
}

#define WITH(number, type, ...) with(number, &(type)__VA_ARGS__, sizeof(type))

static char *next_page(char *inside)
{
	return (char *)(((uintptr_t)inside + PAGE - 1) & -(uintptr_t)PAGE);
}

/* The call that the input chooses. */
static unsigned choose(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char *aside = malloc(3 * PAGE);
	/* The next one would start at the same address whatever its alignment. */
	if (((uintptr_t)aside & 63) == 48 && !malloc(3 * PAGE)) exit(9);
	char *object = aligned_alloc(change(16, PAGE), 3 * PAGE);
	if (!aside || !object) exit(9);
	/* By each version on its own, so that it is one number for both. */
	if (execute(OLD)) apart = next_page(object);
	if (execute(NEW)) apart = next_page(object);
	memset(apart, 0, ROOM);
	chosen = x % ROOMS;
	return x / ROOMS;
}

/* What a call has returned. */
static void say(long result)
{
	printf("%ld", result);
	if (result < 0) printf(" %s", strerror(errno));
	putchar('\n');
}

#define CALL(name, ...) say(syscall(SYS_##name, __VA_ARGS__))

/* So many bytes of a buffer. */
static void show(unsigned number, size_t length)
{
	const unsigned char *bytes = room(number);
	for (size_t at = 0; at < length; at++) {
		if (bytes[at] > ' ' && bytes[at] < 127) putchar(bytes[at]);
		else printf("\\%o", bytes[at]);
	}
	putchar('\n');
}
