// An interpreter of two symbolic instructions that jumps through a table of labels.
//@ domain: first=1 second=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  static void *const labels[] = {&&increment, &&twice, &&negate, &&print, &&stop};
  unsigned char code[2];
  umbra_symbolic(&code[0], 1, "first");
  umbra_symbolic(&code[1], 1, "second");
  int value = 3, at = 0;
#define NEXT                                                                                                           \
  do {                                                                                                                 \
    unsigned char next = at < 2 ? code[at++] : 4;                                                                      \
    goto *labels[next % 5];                                                                                            \
  } while (0)
  NEXT;
increment:
  value++;
  NEXT;
twice:
  value *= 2;
  NEXT;
negate:
  value = -value;
  NEXT;
print:
  printf("%d\n", value);
  NEXT;
stop:
  return value & 127;
}
