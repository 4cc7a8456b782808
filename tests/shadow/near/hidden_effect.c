//@ seed: aa
//@ native: output-difference
// The versions part where the first byte is 'b' or 'c', and behave differently only if the second one is 'x': only the old
// version's path asks for that, and the solver must be asked for it.
#include <stdio.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	const char *s = argv[1];
	int wide = 0;
	if (change(s[0] >= 'b' && s[0] <= 'c', 0)) //~ control
		wide = s[1] == 'x';
	puts(wide ? "wide" : "narrow");
	return 0;
}
