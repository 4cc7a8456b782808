// Stands in for a program that a recorded one executes: shows what it was given.
#include <unistd.h>

static void show(char **words)
{
	for (; *words; words++) {
		char *end = *words;
		while (*end)
			end++;
		(void)!write(1, *words, end - *words + 1);
	}
	(void)!write(1, "\n", 1);
}

int main(int count, char **arguments, char **environment)
{
	(void)count;
	show(arguments);
	show(environment);
	return 0;
}
