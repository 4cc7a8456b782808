// A program takes the same way natively and in the engine, whatever the processor has.
#include <stdio.h>

int main(void) {
  printf("%d", __builtin_cpu_supports("avx2") != 0);
  printf("%d", __builtin_cpu_supports("avx512f") != 0);
  printf("%d", __builtin_cpu_supports("vpclmulqdq") != 0);
  printf("%d\n", __builtin_cpu_is("intel") != 0);
  return 0;
}
