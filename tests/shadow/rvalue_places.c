//@ domain: x=1
// `change` wherever a value can stand: initialisers, subscripts, compound assignments, both sides of a
// comma, operands of `?:` and of `&&`, a shift, the bound of a loop, inside another change.
#include <umbra.h>
#include "at.h"

static const int table[4] = { 5, 6, 7, 8 };

static int twice(int n)
{
	return 2 * n;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	int y = x & 3, z = 0;
	int made[2] = { change(y, y + 1), y };                 //~ data
	switch (x >> 4) {
	case 0: z = made[0]; break;
	case 1: z = table[change(y, y ^ 1)]; break;            //~ data
	case 2: z += change(y, 3); break;                      //~ data
	case 3: z = (change(y, 5), y); break;
	case 4: z = (y, change(y, 2)); break;                  //~ data
	case 5: z = y > 1 ? change(1, 2) : 7; break;           //~ data
	case 6: z = 1 << change(y, 1); break;                  //~ data
	case 7: z = twice(change(y, 3 - y)); break;            //~ data
	case 8: z = -change(y, 7) + 9; break;                  //~ data
	case 9: z = change(y, change(y, y | 1)); break;        //~ data
	case 10:
		if (y > 0 && change(y > 1, y > 2)) { //~ control
			at(0);
			z = 4;
		}
		break;
	case 11:
		for (int i = 0; i < change(y, 2); i++) { //~ control
			at(1);
			z++;
		}
		break;
	case 12:
		do {
			at(2);
			z++;
		} while (z < change(y, 1)); //~ control
		break;
	default:
		z = y;
	}
	at(3);
	return z;
}
