#include <stdio.h>

int main(void) {
  fputs("no newline", stderr);
  __builtin_trap(); //~ trap
}
