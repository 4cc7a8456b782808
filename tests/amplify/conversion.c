// The test uses one conversion, and the other one is wrong. Its operation is one branch away from what the test
// visits.
//@ args: %d
//@ finds: out-of-bounds-write distance 1 changed 1
#include <stdio.h>

int main(int argc, char **argv) {
  char out[4];
  int length = 0;
  if (argc < 2)
    return 1;
  const char *format = argv[1];
  if (format[0] != '%')
    return 1;
  if (format[1] == 's') {
    for (int i = 0; i < 6; i++)
      out[length++] = 'x'; //~ finding
  } else {
    out[length++] = '1';
  }
  printf("%.*s\n", length, out);
  return 0;
}
