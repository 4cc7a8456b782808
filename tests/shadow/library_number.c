//@ domain: x=1
// Numbers that differ are printed and parsed: loops of the library are no divergence.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	char text[16];
	umbra_symbolic(&x, 1, "x");
	int n = change(x & 31, (x & 31) + 1); //~ data
	sprintf(text, "%d", n);
	at(0);
	if (strlen(text) == 2) { //~ control
		at(1);
		return 1;
	}
	return atoi(text);
}
