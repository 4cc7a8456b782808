/* Lines of configuration files: [section], key = value, ; comment.
 *
 * from: ini_line
 * fault 1: a section needs no closing bracket
 * fault 2: a key may be empty
 * fault 3: the trailing spaces of an empty value are looked for before it
 * correct 4: comments are looked for first
 */
#include <assert.h>
#include <ctype.h>
#include <string.h>

#ifndef CHANGE
#define CHANGE 0
#endif

enum kind { BAD = -1, NOTHING, SECTION, PAIR };

struct ini {
	int lines;
	char value[32];
};

static int keep(struct ini *ini, const char *value)
{
	size_t length = strlen(value);
#if CHANGE == 3
	size_t last = length - 1;
	while (value[last] == ' ') last--;
	length = last + 1;
#else
	while (length && value[length - 1] == ' ') length--;
#endif
	if (length >= sizeof ini->value) return BAD;
	memcpy(ini->value, value, length);
	ini->value[length] = 0;
	return PAIR;
}

/* What a line is. */
int ini_line(struct ini *ini, const char *line)
{
	ini->lines++;
	while (*line == ' ') line++;
#if CHANGE == 4
	if (*line == ';') return NOTHING;
	if (!*line) return NOTHING;
#else
	if (!*line || *line == ';') return NOTHING;
#endif
	if (*line == '[') {
		const char *end = strchr(line, ']');
#if CHANGE == 1
		if (!end) end = line + strlen(line) - 1;
#else
		if (!end) return BAD;
#endif
		return end[1] ? BAD : SECTION;
	}
	const char *equal = strchr(line, '=');
	if (!equal) return BAD;
#if CHANGE != 2
	if (equal == line) return BAD;
#endif
	do equal++;
	while (*equal == ' ');
	return keep(ini, equal);
}

int main(void)
{
	struct ini ini = { 0 };
	assert(ini_line(&ini, "[main]") == SECTION);
	assert(ini_line(&ini, "key = v ") == PAIR && !strcmp(ini.value, "v"));
	assert(ini_line(&ini, "; no") == NOTHING);
	assert(ini_line(&ini, "what") == BAD);
	return ini.lines != 4;
}
