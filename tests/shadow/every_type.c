//@ domain: x=1
// `change` on a value of every scalar type, and on pointers. Each is compared with what it is in the new
// version, so each parts the versions on inputs of its own.
#include <umbra.h>
#include "at.h"

enum colour { RED, GREEN, BLUE };
struct pair { int a, b; };

static int taken;

#define IS(n, condition) \
	do { \
		if (condition) { \
			at(n); \
			taken |= n; \
		} else { \
			at(16 + (n)); \
		} \
	} while (0)

int main(void)
{
	unsigned char x;
	struct pair two[2] = { { 1, 2 }, { 3, 4 } };
	umbra_symbolic(&x, 1, "x");
	int is = x & 1;
	switch (x >> 4) {
	case 0: IS(0, change((_Bool)is, (_Bool)1)); break;                       //~ control
	case 1: IS(1, change((char)x, (char)(x | 2)) == 18); break;              //~ control
	case 2: IS(2, change((signed char)-x, (signed char)x) < 0); break;       //~ control
	case 3: IS(3, change((short)(x << 8), (short)(x << 10)) < 0); break;      //~ control
	case 4: IS(4, change((unsigned short)(x << 8), (unsigned short)(x << 9)) > 0x4800); break; //~ control
	case 5: IS(5, change((int)(x << 24u), (int)((unsigned)x << 25)) < 0); break;            //~ control
	case 6: IS(6, change(x - 100u, 100u - x) > 50); break;                   //~ control
	case 7: IS(7, change((long)((unsigned long)x << 56), (long)((unsigned long)x << 57)) < 0); break;          //~ control
	case 8: IS(8, change((unsigned long)x, -(unsigned long)x) > 1000); break; //~ control
	case 9: IS(9, change((long long)x - 150, 150 - (long long)x) < 0); break; //~ control
	case 10: IS(10, change((enum colour)(x % 3), (enum colour)(x % 2)) == BLUE); break; //~ control
	case 11: IS(11, change(x / 2.0f, x / 4.0f) > 60.0f); break;              //~ control
	case 12: IS(12, change(x * 0.5, x * 0.25) > 60.0); break;                //~ control
	case 13: IS(13, change(&two[is], &two[0])->a == 3); break;               //~ control
	case 14: IS(14, change((void *)0, (void *)&two[is]) == &two[1]); break;  //~ control
	default: IS(15, *change("no", is ? "no" : "yes") == 'y'); break;         //~ control
	}
	return taken;
}
