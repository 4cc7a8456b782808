//@ diff: --max-around-instructions 0 --deterministic --no-replay --max-point-instructions 2000 PROGRAM a
//@ diff: --max-around-instructions 0 --no-replay --max-seed-time 0s PROGRAM a
//@ diff: --max-around-instructions 0 --no-replay --max-time 0s PROGRAM a
//@ diff: --complete --no-replay --max-instructions 5000 --deterministic --sym args=1..1x1 PROGRAM
//@ diff: --complete --no-replay --max-path-instructions 3000 --max-forks 5 --deterministic --sym args=1..1x1 PROGRAM
// The new version goes on for ever where the versions part: each budget ends it, and says so.
#include <umbra.h>

int main(int argc, char **argv)
{
	unsigned seen = 0;
	if (argc < 2)
		return 1;
	if (change(argv[1][0] == 'b', argv[1][0] < 'a')) {
		for (unsigned round = 0;; round++) {
			unsigned char c;
			umbra_symbolic(&c, 1, "c");
			if (c > 100)
				seen += round;
		}
	}
	return (int)seen;
}
