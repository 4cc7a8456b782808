#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor(102))) static void second(void) { puts("second"); }
__attribute__((constructor(101))) static void first(void) { puts("first"); }
__attribute__((constructor)) static void third(void) { puts("third"); }
__attribute__((destructor(101))) static void last(void) { puts("last"); }
__attribute__((destructor)) static void before(void) { puts("before"); }
static void a(void) { puts("exit a"); }
static void b(void) { puts("exit b"); atexit(a); }

int main(void) {
  atexit(a);
  atexit(b);
  puts("main");
  return 0;
}
