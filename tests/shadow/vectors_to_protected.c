//@ domain: x=1
// The same for calls with several buffers, the last of which one version may not use: nothing is taken twice and nothing written twice.
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int in[2], out[2];
	if (pipe(in) || pipe(out))
		return 9;
	if (write(in[1], "abcdef", 6) != 6)
		return 8;
	char first[2] = { 'x', 'y' };
	char *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	p[0] = (char)x;
	p[1] = 'z';
	if (execute(NEW)) //~ data
		if (x < 10)
			mprotect(p, 4096, PROT_NONE);
	struct iovec parts[2] = { { first, 2 }, { p, 2 } };
	long written = writev(out[1], parts, 2);
	at(0);
	long got = readv(in[0], parts, 2);
	at(1);
	close(in[1]);
	close(out[1]);
	char rest[16] = { 0 };
	long left = read(in[0], rest, 16);
	at(2);
	long sent = read(out[0], rest + 8, 8);
	at(3);
	return (int)(written + 8 * got + 16 * left + 64 * sent) + rest[0];
}
