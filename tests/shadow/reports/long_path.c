//@ diff: --max-around-instructions 0 --no-replay --object text=6162636465666768696a6b6c6d6e6f70 PROGRAM
//@ diff: --max-around-instructions 0 --no-replay --object text=62626262626262626262626262626262 PROGRAM
// A long path is shown by its last lines, and what repeats is folded.
#include <umbra.h>

static int vowels, stops, others;

static int is_vowel(char c)
{
	if (c == 'a' || c == 'e' || c == 'i' || c == 'o' || c == 'u')
		return 1;
	return 0;
}

int main(void)
{
	char text[16];
	umbra_symbolic(text, sizeof text, "text");
	for (int i = 0; i < 16; i++) {
		if (is_vowel(text[i]))
			vowels++;
		else if (text[i] == '.')
			stops++;
		else
			others++;
	}
	switch (text[0]) {
	case 'x':
		return 1;
	case 'y':
		return 2;
	}
	if (change(text[1] == 'c', text[1] == 'd'))
		return 3;
	return vowels;
}
