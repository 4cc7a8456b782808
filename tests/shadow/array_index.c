//@ domain: x=1
// Loads and stores at an index that differs.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	unsigned char a[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	int i = change(x & 7, (x + 1) & 7); //~ data
	a[i] = 9;
	at(0);
	if (a[3] == 9) { //~ control
		at(1);
		return 1;
	}
	return a[i ^ 1] + a[(i + 2) & 7];
}
