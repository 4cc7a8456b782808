// A walk that leaves a list: the pointer was read from memory, so it is null and not an index out of bounds.
//@ domain: x=1
#include <klee/klee.h>
#include <stddef.h>
#include <stdio.h>

struct node {
  unsigned value;
  struct node *next;
};

int main(void) {
  unsigned char x;
  klee_make_symbolic(&x, sizeof x, "x");
  struct node nodes[3] = {{24, &nodes[x % 3]}, {3, &nodes[1]}, {99, NULL}};
  struct node *at = &nodes[2];
  unsigned value = 0;
  if (x >= 128) {
    puts("from the first");
    at = nodes;
  }
  for (int k = 0; k < 3; k++) {
    value = at->value; //~ null-dereference
    at = at->next;
  }
  printf("%u\n", value);
  return 0;
}
