// Open brackets are kept on a stack for four of them.
//@ sym: stdin=6
//@ trigger: stdin="([([(]"
//@ benign: stdin="([([])"
#include <stdio.h>

int main(void) {
  char open[4];
  int depth = 0, c;
  while ((c = getchar()) != EOF) {
    if (c == '(' || c == '[') {
      if (depth && open[depth - 1] == c) return 2;
      open[depth++] = (char)c; //~ out-of-bounds-write
    } else if (c == ')' || c == ']') {
      if (depth == 0) return 1;
      if ((open[--depth] == '(') != (c == ')')) return 3;
    } else {
      return 4;
    }
  }
  return depth != 0;
}
