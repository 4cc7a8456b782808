//@ diff: --complete PROGRAM
//@ diff: --complete --no-replay PROGRAM
//@ diff: --max-around-instructions 0 --no-replay --object s=6161 PROGRAM
// The versions part where the first byte is 'b' or 'c', and behave differently only if the second one is 'x'.
#include <stdio.h>
#include <umbra.h>

int main(void)
{
	char s[2];
	umbra_symbolic(s, 2, "s");
	int wide = 0;
	if (change(s[0] >= 'b' && s[0] <= 'c', 0))
		wide = s[1] == 'x';       // only the old version's path asks
	puts(wide ? "wide" : "narrow");
	return 0;
}
