// Addresses of frames and of callers: not null, the same within a call, and a frame of its own for each.
#include <stdio.h>

__attribute__((noinline)) static int inner(void *outer) {
  void *own = __builtin_frame_address(0);
  return own && own != outer && own == __builtin_frame_address(0);
}

__attribute__((noinline)) static void *caller(void) { return __builtin_return_address(0); }

__attribute__((noinline)) static void *other_caller(void) { return caller(); }

int main(void) {
  printf("%d\n", inner(__builtin_frame_address(0)));
  printf("%d %d\n", caller() != 0, caller() != other_caller());
  return 0;
}
