//@ diff: --max-around-instructions 0 --deterministic --no-replay PROGRAM aaaa
//@ diff: --max-around-instructions 0 --deterministic --no-replay --max-sides 2 PROGRAM aaaa
//@ diff: --max-around-instructions 0 --deterministic --no-replay --max-followed 1 PROGRAM aaaa
// What is taken up beside a test has limits: sides of branches on what differs, and inputs on which a version
// that runs alone takes another path. What is beyond is reported.
#include <umbra.h>

int main(int argc, char **argv)
{
	int kind = 0, high = 0;
	if (argc < 2)
		return 1;
	const char *text = argv[1];
	for (int i = 0; i < 2; i++) {
		if (execute(NEW)) {
			if (text[i] == 'x')
				kind++;
		}
	}
	if (change(text[3] > 'f', text[3] > 'g'))
		high++;
	if (change(text[0] > 'f', text[0] > 'g'))
		high++;
	return high + kind / 4;
}
