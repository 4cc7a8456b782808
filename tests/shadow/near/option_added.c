//@ seed: -a
//@ seed: -b x
// After `netcat`: the string of options grew by one. `getopt` compares its bytes with that of the argument inside the library, where
// both versions go the same way for a while. The first bytes are equal in both: only the other side of a decision on
// them, which is nobody's own, leads to the new option.
#include <stdio.h>
#include <unistd.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	int c, all = 0;
	opterr = 0;
	while ((c = getopt(argc, argv, change("ab", "abc"))) != -1) {
		if (c == '?') { //~ control
			puts("usage");
			return 2;
		}
		all += c == 'a';
	}
	printf("%d\n", all);
	return 0;
}
