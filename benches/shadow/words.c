/* Words, lines and the width of a symbolic text. The new version weighs words otherwise, which is one
 * pair at the end of each path, and another result on nearly all of them. With RARE it does so only where
 * there are four words. With CARRIED, a tab is of another width instead: then there is a pair in every
 * step, carried along to the end. With WEIGHED the result depends on the last character too, in either version.
 * Nothing of this parts the versions on their way. */
#include <umbra.h>
#ifdef CARRIED
#define TAB change(8, 4)
#define WORD 5
#elif defined(RARE)
#define TAB 8
#define WORD (words > 3 ? change(5, 6) : 5)
#else
#define TAB 8
#define WORD change(5, 6)
#endif
#ifndef LENGTH
#define LENGTH 9
#endif

int main(void)
{
	char text[LENGTH];
	unsigned lines = 0, words = 0, width = 0, total = 0, inside = 0;
	umbra_symbolic(text, sizeof text, "text");
	for (int i = 0; i < LENGTH; i++) {
		if (text[i] == '\n') {
			lines++;
			total += width;
			width = inside = 0;
		} else if (text[i] == '\t') {
			width += TAB;
			inside = 0;
		} else {
			width++;
			words += !inside;
			inside = 1;
		}
	}
#ifdef WEIGHED
	total += (unsigned)text[LENGTH - 1] & 8;
#endif
	return (int)((total + width + WORD * words + 3 * lines) & 127);
}
