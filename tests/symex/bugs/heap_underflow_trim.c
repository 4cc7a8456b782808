// Trailing blanks are cut off, without looking where the text starts.
//@ sym: args=1x3
//@ trigger: arg="   "
//@ benign: arg="a  "
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2 || argv[1][0] == 0) return 1;
  size_t length = strlen(argv[1]);
  char *text = malloc(length + 1);
  strcpy(text, argv[1]);
  char *end = text + length - 1;
  while (*end == ' ') //~ out-of-bounds-read
    end--;
  end[1] = 0;
  int result = (int)strlen(text);
  free(text);
  return result;
}
