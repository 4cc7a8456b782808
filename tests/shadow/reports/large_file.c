//@ diff: --complete --no-replay PROGRAM
// A file of more than 16 MiB is compared as far as that, and then the versions are not called equivalent.
#include <fcntl.h>
#include <unistd.h>
#include <umbra.h>

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char last = (char)change(x, x ^ 1);
	int out = open("out", O_WRONLY | O_CREAT, 0644);
	if (out < 0 || pwrite(out, &last, 1, 1 << 24) != 1)
		return 9;
	return 0;
}
