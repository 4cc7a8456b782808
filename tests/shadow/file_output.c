//@ domain: x=1
// What is written to files is compared too: contents that differ, and a file that one version leaves.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	FILE *file = fopen("out", "w");
	if (!file)
		return 9;
	fprintf(file, "%c%s", 'a' + change(x & 3, x & 1), "tail");
	if (fclose(file))
		return 8;
	at(0);
	file = fopen("out", "r");
	if (!file)
		return 7;
	int c = fgetc(file);
	fclose(file);
	if (c == 'b') { //~ control
		at(1);
		unlink("out");
		return 1;
	}
	at(2);
	unlink("out");
	return 0;
}
