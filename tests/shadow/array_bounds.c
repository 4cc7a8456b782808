//@ domain: x=u8:0..12
//@ replay: no, a write outside an array does not show natively
// The new version writes one too far.
#include <umbra.h>
#include "at.h"

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	umbra_assume(x < 12);
	char a[12] = { 0 };
	a[change(x, x + 1)] = 1; //~ control
	//~^ data
	at(0);
	return a[0];
}
