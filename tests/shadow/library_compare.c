//@ domain: x=1
// Comparisons of strings of which bytes differ.
#include <string.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	char x[2] = "";
	umbra_symbolic(x, 1, "x");
	char text[4] = "abc";
	text[1] = change(x[0], x[0] == 'b' ? 'B' : x[0]);
	if (strcmp(text, "abc") == 0) { //~ control
		at(0);
		return 1;
	}
	at(1);
	return memchr(text, 'B', 3) != NULL;
}
