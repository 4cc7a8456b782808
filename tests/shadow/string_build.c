//@ domain: x=1
// Strings of different lengths are built, copied and measured by the library.
#include <stdio.h>
#include <string.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	char text[32] = "";
	umbra_symbolic(&x, 1, "x");
	strcat(text, x & 1 ? "odd" : "even");
	at(0);
	strcat(text, change("/", "//")); //~ data
	strcat(text, "end");
	at(1);
	if (strlen(text) > 8) { //~ control
		at(2);
		return 1;
	}
	puts(text);
	return strchr(text, '/') == NULL;
}
