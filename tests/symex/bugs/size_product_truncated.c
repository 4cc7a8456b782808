// The number of pixels is kept in 16 bits, the loop over them is not.
//@ trigger: width=u16:4097 height=u16:16
//@ benign: width=u16:100 height=u16:16
#include <klee/klee.h>
#include <stdint.h>
#include <stdlib.h>

int main(void) {
  uint16_t width, height;
  klee_make_symbolic(&width, sizeof width, "width");
  klee_make_symbolic(&height, sizeof height, "height");
  if (width == 0 || height != 16) return 1;
  uint16_t size = (uint16_t)(width * height);
  if (size > 64 * 1024 - 16) return 2;
  unsigned char *pixels = malloc(size + 1u);
  /* The last byte of the second row is a marker. */
  unsigned marker = 2u * width - 1;
  pixels[marker] = 1; //~ out-of-bounds-write
  int result = pixels[marker];
  free(pixels);
  return result - 1;
}
