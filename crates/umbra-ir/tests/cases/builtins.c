// Operations of the machine.
typedef unsigned long size;
int overflow(int a, int b, int *r) {
  return __builtin_add_overflow(a, b, r) + __builtin_mul_overflow(a, b, r);
}
int bits(unsigned a) {
  return __builtin_popcount(a) + __builtin_clz(a) + __builtin_ctz(a) + __builtin_bswap32(a);
}
void memory(char *a, char *b, size n) {
  __builtin_memcpy(a, b, n);
  __builtin_memmove(a, b, 16);
  __builtin_memset(a, 0, n);
}
double math(double a, double b) {
  return __builtin_elementwise_sqrt(a) + __builtin_fabs(b) + __builtin_copysign(a, b) + __builtin_floor(a);
}
size object(char *p) { return __builtin_object_size(p, 0) + __builtin_object_size(p, 2); }
void stop(int x) {
  if (__builtin_expect(x, 0)) __builtin_trap();
  __builtin_assume(x == 0);
  __builtin_prefetch(&x);
}
void *frame(void) { return __builtin_frame_address(0); }
long cycles(void) { return __builtin_readcyclecounter(); }
