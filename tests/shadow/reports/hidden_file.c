//@ diff: --complete PROGRAM
// Behind the split each version leaves a file; what is in it differs for one byte of input only, and its mode for another.
#include <fcntl.h>
#include <umbra.h>
#include <unistd.h>

static void leave(unsigned char byte, int mode)
{
	int file = open("left", O_WRONLY | O_CREAT | O_TRUNC, mode);
	if (write(file, &byte, 1) != 1)
		_exit(9);
	close(file);
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	if (change(x < 90, x < 70))
		leave(x, 0600);
	else
		leave(x == 77 ? 78 : x, x == 80 ? 0640 : 0600);
	return 0;
}
