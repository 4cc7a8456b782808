//@ domain: x=i32:-40..40
//@ replay: no, a read before an array does not show natively
// The running example of the SHADOW papers, rewritten: the check of the new version lets zero
// through to an index that is one less.
#include <umbra.h>
#include "at.h"

static const int table[16] = { 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3 };

int main(void)
{
	int x;
	umbra_symbolic(&x, sizeof x, "x");
	int limit = change(x, x - 1); //~ data
	int index = 0;
	if (limit > 14) { //~ control
		at(0);
		return 1;
	}
	if (x >= 0) {
		at(1);
		index = change(x, x - 1);
	}
	at(2);
	return table[index] > 4; //~ control
}
