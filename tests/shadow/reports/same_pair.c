//@ diff: --complete --no-replay --search dfs --sym arg=2 PROGRAM
//@ diff: --complete --no-replay --search bfs --sym arg=2 PROGRAM
// Two changes make the same pair (0, 1), each on paths of its own: a divergence comes from the change on its path only,
// whichever path ran first.
#include <stdio.h>
#include <umbra.h>

int main(int argc, char **argv)
{
	char first = argv[1][0];
	int more = 0;
	if (first == 'a')
		more = change(0, 1);
	else if (first == 'b')
		more = change(0, 1);
	if (more)
		puts("more");
	return 0;
}
