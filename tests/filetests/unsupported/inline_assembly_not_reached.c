#include <stdio.h>

int main(int argc, char **argv) {
  if (argc > 5)
    __asm__ volatile("hlt");
  __asm__ volatile("" ::: "memory");
  puts("fine");
  return 0;
}
