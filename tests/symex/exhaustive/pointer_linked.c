// A linked structure whose links depend on the input: where a walk ends, or falls off.
//@ domain: x=2
#include <klee/klee.h>
#include <stddef.h>

struct node {
  unsigned char value;
  struct node *next;
};

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  struct node last = {9, NULL};
  struct node nodes[3] = {{1, NULL}, {2, NULL}, {4, NULL}};
  nodes[0].next = x[0] & 1 ? &nodes[1] : &nodes[2];
  nodes[1].next = x[0] & 2 ? &nodes[2] : &last;
  nodes[2].next = x[0] & 4 ? &last : NULL;
  struct node *node = &nodes[x[1] % 3];
  unsigned sum = 0;
  for (int steps = x[1] >> 6; steps >= 0; steps--) {
    sum += node->value; //~ null-dereference
    node = node->next;
    if (node == &last) return (int)sum + 50;
  }
  return (int)sum;
}
