//@ domain: x=1 y=1
// A table of which an entry differs, read and written at an unknown index.
#include <umbra.h>
#include "at.h"

static unsigned char table[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

int main(void)
{
	unsigned char x, y;
	umbra_symbolic(&x, 1, "x");
	umbra_symbolic(&y, 1, "y");
	table[3] = change(40, 41); //~ data
	table[x & 15] = y;
	at(0);
	int value = table[(x + 1) & 15];
	if (value == 41) { //~ control
		at(1);
		return 1;
	}
	return table[3] & 0x3f;
}
