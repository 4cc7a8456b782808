//@ domain: x=1
//@ partings: 1
// In code of its own each version opens and looks at files, in another order; one has a look at one more. What they
// leave behind is the same, so they make all later calls together.
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	int one = -1, other = -1;
	struct stat seen;
	umbra_symbolic(&x, 1, "x");
	close(open("one", O_CREAT | O_TRUNC | O_WRONLY, 0600));
	close(open("other", O_CREAT | O_TRUNC | O_WRONLY, 0600));
	if (execute(OLD)) {
		one = open("one", O_RDWR);
		other = open("other", O_RDWR);
	} else {
		stat("/etc/passwd", &seen);
		one = open("one", O_RDWR);
		close(open("one", O_RDONLY));
		other = open("other", O_RDWR);
	}
	at(0);
	if (write(one, &x, 1) != 1 || write(other, &x, 1) != 1)
		return 9;
	lseek(one, 0, SEEK_SET);
	x = 0;
	if (read(one, &x, 1) != 1)
		return 8;
	printf("%d %d %d\n", x & 3, one, other);
	fflush(stdout);
	return close(one) + close(other);
}
