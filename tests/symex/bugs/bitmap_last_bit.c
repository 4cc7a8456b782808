// A bitmap for 20 bits has two bytes.
//@ trigger: bit=u16:17
//@ benign: bit=u16:15
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned short bit;
  klee_make_symbolic(&bit, sizeof bit, "bit");
  if (bit >= 20 || bit % 4 != 1) return 1;
  unsigned char *map = calloc(20 / 8, 1);
  map[bit >> 3] |= (unsigned char)(1u << (bit & 7)); //~ out-of-bounds-read
  int result = map[0] == 1;
  free(map);
  return result;
}
