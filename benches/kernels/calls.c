/* Small functions that call each other: the cost of a call and a return. */
#include <stdio.h>
#ifndef N
#define N 27
#endif
__attribute__((noinline)) static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}
__attribute__((noinline)) static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
int main(void) {
  int a = 1, b = 2;
  for (int i = 0; i < 300000; i++) swap(&a, &b);
  printf("%d %d %d\n", fib(N), ackermann(2, 200), a);
  return 0;
}
