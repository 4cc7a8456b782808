// After mpack's fix-decode-base64-attachment: a literal of another length is compared, copied and measured, and nobody sees it.
//@ lockstep: 97
//@ test: text/plain name
//@ test: application/octet-stream data
//@ test: image/gif picture
#include <stdio.h>
#include <string.h>
#include <strings.h>

static char kind[64], path[64];

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
//- old
	strcpy(kind, "application/octet");
//- new
	strcpy(kind, "application/octet-stream");
//- both
	size_t length = strlen(kind);
	if (strcasecmp(argv[1], "text/plain") == 0)
		strcpy(kind, "text");
	else if (strncasecmp(argv[1], "image/", 6) == 0)
		snprintf(kind, sizeof kind, "picture.%s", argv[1] + 6);
	snprintf(path, sizeof path, "%s.%s", argv[2], length > 4 ? "part" : "p");
	for (char *at = path; *at; at++)
		if (!strchr("abcdefghijklmnopqrstuvwxyz.", *at))
			*at = 'X';
	printf("%s\n", path);
	return strcmp(kind, "text") == 0 ? 1 : 0;
}
