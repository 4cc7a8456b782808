//@ diff: --max-around-instructions 0 --deterministic --no-replay --max-point-instructions 900 PROGRAM aaaaaaaaaaaaaaa
//@ diff: --max-around-instructions 0 --deterministic --no-replay --max-point-instructions 900 --search bfs PROGRAM aaaaaaaaaaaaaaa
// From where the versions part, a change is many branches away; whoever leaves the way to it forks again
// and again. The search goes towards it, and breadth-first alone does not come so far.
#include <umbra.h>

static int wander(const char *text)
{
	int sum = 0;
	for (int round = 0; round < 40; round++)
		if (text[round % 15] > 'a' + round % 20)
			sum += round;
	return sum;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 1;
	const char *text = argv[1];
	if (change(text[0] < 'c', text[0] < 'b'))
		return 0;
	if (text[1] != 'n' || text[2] != 'e' || text[3] != 'e' || text[4] != 'd')
		return wander(text);
	if (text[5] != 'l' || text[6] != 'e' || text[7] != '!')
		return wander(text);
	return change(2, 3);
}
