// Greatest common divisor and a mutual recursion.
//@ domain: a=i32:0..24 b=i32:0..24
#include <klee/klee.h>
#include <stdio.h>

static int gcd(int a, int b) { return b ? gcd(b, a % b) : a; }
static int is_odd(int n);
static int is_even(int n) { return n ? is_odd(n - 1) : 1; }
static int is_odd(int n) { return n ? is_even(n - 1) : 0; }

int main(void) {
  int a = klee_range(0, 24, "a"), b = klee_range(0, 24, "b");
  int divisor = gcd(a, b);
  if (divisor > 3) printf("%d\n", divisor);
  return is_even(divisor) ? 1 : 2;
}
