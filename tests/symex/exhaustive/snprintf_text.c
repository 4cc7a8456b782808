// Text and characters through snprintf into a buffer that is too small for some.
//@ domain: c=1 width=i32:0..5
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  char c;
  klee_make_symbolic(&c, 1, "c");
  int width = klee_range(0, 5, "width");
  char text[2] = {c, 0}, buffer[6];
  int wanted = snprintf(buffer, sizeof buffer, "<%*s|%c>", width, text, c == 'x' ? 'y' : 'n');
  size_t length = strlen(buffer);
  if ((size_t)wanted != length) puts("cut");
  return (int)length * 10 + wanted;
}
