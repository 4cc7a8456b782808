// Empty assembly is a copy or nothing, cpuid knows no features; any other ends the path where it is met.
int barrier(int x) { __asm__ volatile("" ::: "memory"); return x; }
long hide(long x) { __asm__("" : "+r"(x)); return x; }
int indirect(int x) { __asm__("" : "=m"(x) : "m"(x)); return x; }
int from_nowhere(void) { int x; __asm__("" : "=r"(x)); return x; }
int real(int x) {
  if (x)
    __asm__("addl $1, %0" : "+r"(x));
  return x;
}
int features(void) {
  int a, b, c, d;
  __asm__("  xchgq  %%rbx,%q1\n  cpuid\n  xchgq  %%rbx,%q1" : "=a"(a), "=r"(b), "=c"(c), "=d"(d) : "0"(1));
  return b | d;
}
