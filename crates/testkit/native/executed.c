// Stands in for a program that a recorded one executes: writes down what it was given.
#include <fcntl.h>
#include <unistd.h>

// Replaced by the path of a file.
static volatile char report[4096] = "the path of the report";

static void show(int file, char **words)
{
	for (; *words; words++) {
		char *end = *words;
		while (*end)
			end++;
		(void)!write(file, *words, end - *words + 1);
	}
	(void)!write(file, "\n", 1);
}

int main(int count, char **arguments, char **environment)
{
	(void)count;
	int file = open((const char *)report, O_WRONLY | O_TRUNC);
	if (file < 0)
		return 1;
	show(file, arguments);
	show(file, environment);
	return 0;
}
