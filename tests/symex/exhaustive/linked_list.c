// A list of the decimal digits of the input, reversed in place.
//@ domain: n=1
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>

struct node {
  int digit;
  struct node *next;
};

int main(void) {
  unsigned char n;
  klee_make_symbolic(&n, 1, "n");
  struct node *head = NULL, *reversed = NULL;
  for (unsigned rest = n; rest; rest /= 10) {
    struct node *node = malloc(sizeof *node);
    node->digit = (int)(rest % 10);
    node->next = head;
    head = node;
  }
  while (head) {
    struct node *next = head->next;
    head->next = reversed;
    reversed = head;
    head = next;
  }
  int value = 0;
  while (reversed) {
    struct node *next = reversed->next;
    value = value * 10 + reversed->digit;
    free(reversed);
    reversed = next;
  }
  printf("%d\n", value == n);
  return value > 500;
}
