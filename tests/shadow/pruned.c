//@ domain: a=1 b=u8:0..15
//@ paths: 16
//@ pruned: 2
// What comes before and behind the change has many paths. With pruning, those of a state that cannot
// come to the change, and those behind it where nothing differs, are not followed one by one.
#include <stdio.h>
#include <umbra.h>
#include "at.h"

static unsigned char a, b;

__attribute__((noinline)) static void count(void)
{
	int bits = 0;
	for (int i = 0; i < 4; i++)
		if (b >> i & 1) {
			at(1);
			bits++;
		} else {
			at(2);
		}
	printf("%d\n", bits);
}

__attribute__((noinline)) static void check(void)
{
	if (a < change(10, 12)) //~ control
		at(3);
	else
		at(4);
}

int main(void)
{
	umbra_symbolic(&a, 1, "a");
	umbra_symbolic(&b, 1, "b");
	if (b > 15)
		return 0;
	if (a == 200) {
		at(5);
		count();
		return 1;
	}
	at(6);
	check();
	count();
	return 0;
}
