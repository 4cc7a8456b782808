//@ sym: stdin=2
// The old version reads a byte more, and puts it back by seeking or not at all.
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	char c = 0, peeked = 0;
	if (read(0, &c, 1) != 1)
		return 9;
	if (execute(OLD)) { //~ data
		if (c == 'p' && read(0, &peeked, 1) != 1)
			return 8;
	}
	at(0);
	char next = 0;
	long got = read(0, &next, 1);
	at(1);
	return (int)got + (next == 'q');
}
