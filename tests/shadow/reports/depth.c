//@ diff: --complete --no-replay --max-depth 2 PROGRAM
//@ diff: --complete --no-replay --max-depth 2 --require-complete PROGRAM
//@ diff: --complete --no-replay --max-depth 20 PROGRAM
// A limit on depth that is reached is reported, and the versions are then not called equivalent.
#include <umbra.h>

int main(void)
{
	unsigned char bits;
	int count = 0;
	umbra_symbolic(&bits, 1, "bits");
	for (int i = 0; i < 4; i++)
		if (bits >> i & 1)
			count += change(2, 1 + 1);
	return count;
}
