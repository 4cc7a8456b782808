// A stack machine that checks for too many operands, but not for too few.
//@ sym: stdin=4
//@ trigger: stdin="5+\n\n"
//@ benign: stdin="52+\n"
#include <stdio.h>

int main(void) {
  int stack[4];
  int top = 0, c;
  while ((c = getchar()) != EOF && c != '\n') {
    if (c >= '0' && c <= '9') {
      if (top == 4) return 1;
      stack[top++] = c - '0';
    } else if (c == '+' && top > 0) {
      int right = stack[--top];
      stack[top - 1] += right; //~ out-of-bounds-read
    } else {
      return 2;
    }
  }
  return top == 1 && stack[0] == 7;
}
