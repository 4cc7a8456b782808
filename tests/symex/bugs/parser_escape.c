// A backslash at the end of the text takes the terminator along.
//@ sym: args=1x4
//@ trigger: arg="a\\"
//@ benign: arg="a\\n"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  char *text = strdup(argv[1]);
  int length = 0;
  for (char *p = text; *p; p++) { //~ out-of-bounds-read
    if (*p == '\\') p++;
    else if (*p < 'a' || *p > 'c') break;
    length++;
  }
  free(text);
  return length;
}
