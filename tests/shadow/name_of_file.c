//@ domain: x=1
// A name with a byte that differs: each version opens its own file.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	char name[] = "aa";
	if (x == 7)
		name[1] = change('a', 'b'); //~ data
	at(0);
	int file = open(name, O_CREAT | O_WRONLY, 0600);
	if (file < 0) {
		at(1);
		return 9;
	}
	at(2);
	struct stat stat;
	int found = lstat("ab", &stat) == 0;
	unlink("ab");
	return found;
}
