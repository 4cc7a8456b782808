//@ domain: x=1
// A structure with a member that differs, passed and returned by value.
#include <umbra.h>
#include "at.h"

struct point { int x, y; char name[20]; };

static struct point moved(struct point p, int by)
{
	p.x += by;
	p.name[by & 3]++;
	return p;
}

int main(void)
{
	unsigned char x;
	umbra_symbolic(&x, 1, "x");
	struct point p = { x, 2, "abcd" };
	p.y = change(2, 3);
	struct point q = moved(p, change(1, 1 + (x == 9))); //~ data
	at(0);
	if ((q.y == 3) & (p.x > 1000)) {
		at(1);
		return 9;
	}
	return (q.x & 0x3f) + q.name[1] % 8 * 4;
}
