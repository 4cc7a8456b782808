//@ domain: x=1
// The new version opens a file more and keeps it: descriptors differ from there on, what is written
// through them does not.
#include <fcntl.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int extra = -1;
	umbra_symbolic(&x, 1, "x");
	if (execute(NEW))
		extra = open("/dev/null", O_RDONLY);
	at(0);
	int null = open("/dev/null", O_WRONLY), copy = dup(1);
	if (copy < 0 || null < 0)
		return 9;
	const char *text = x > 99 ? "large\n" : "small\n";
	if (write(null, text, 6) != 6 || write(copy, text, 6) != 6)
		return 8;
	if (execute(NEW) && extra < 0)
		return 7;
	at(1);
	close(copy);
	return 0;
}
