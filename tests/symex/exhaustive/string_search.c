// strchr, strrchr, memchr and strstr.
//@ sym: stdin=2
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char needle[3];
  if (read(0, needle, 2) != 2) return 9;
  needle[2] = 0;
  const char *text = "a banana";
  const char *first = strchr(text, needle[0]), *last = strrchr(text, needle[1]);
  const char *inside = strstr(text, needle);
  int status = 0;
  if (first && last) status = (int)(last - first);
  if (inside) printf("%s\n", inside);
  if (memchr(needle, 'n', 2)) status += 20;
  return status & 127;
}
