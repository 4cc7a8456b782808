//@ domain: x=1
// A call that one version can carry out and the other cannot happens once for each, from the same pipe.
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int ends[2];
	if (pipe(ends))
		return 9;
	if (write(ends[1], "abcdef", 6) != 6)
		return 8;
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (execute(NEW)) //~ data
		if (x < 10)
			mprotect(p, 4096, PROT_READ);
	long got = read(ends[0], p, 4);
	at(0);
	char rest[8] = { 0 };
	long more = read(ends[0], rest, 2);
	at(1);
	return (int)(got + more) + rest[0] + (x & 1);
}
