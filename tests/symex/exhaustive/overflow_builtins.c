// The overflow-checking builtins and wrapping arithmetic.
//@ domain: a=1 b=1
#include <klee/klee.h>
#include <stdio.h>

int main(void) {
  signed char a, b, narrow;
  unsigned char wide;
  klee_make_symbolic(&a, 1, "a");
  klee_make_symbolic(&b, 1, "b");
  int status = 0;
  if (__builtin_add_overflow(a, b, &narrow)) status |= 1;
  if (__builtin_mul_overflow(a, b, &wide)) status |= 2;
  if (__builtin_sub_overflow((unsigned char)a, (unsigned char)b, &wide)) status |= 4;
  unsigned long huge = (unsigned long)(long)a * 0x100000001ul;
  if (huge < 0x80) status |= 8;
  if (status == 7) puts("everything overflows");
  return status;
}
