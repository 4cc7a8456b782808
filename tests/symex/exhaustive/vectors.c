// Vectors whose lanes are symbolic, and a lane whose number is.
//@ domain: a=1 b=1
#include <stdio.h>
#include <umbra.h>

typedef signed char eight __attribute__((ext_vector_type(8)));
typedef long whole __attribute__((ext_vector_type(1)));

int main(void) {
  signed char a;
  unsigned char b;
  umbra_symbolic(&a, 1, "a");
  umbra_symbolic(&b, 1, "b");
  eight v = {1, 2, 3, 4, 5, 6, 7, 8};
  v[b & 7] = a;
  v = v > 4 ? v * 2 : -v;
  if (v[(b >> 3) & 7] == 12)
    puts("twelve");
  if (((whole)v)[0] & 0x80)
    puts("negative");
  return __builtin_reduce_xor(v) & 3;
}
