#include <stdlib.h>

struct node {
  int value;
  struct node *next;
};

int main(void) {
  struct node second = {2, 0}, *first = malloc(sizeof *first);
  first->value = 1;
  first->next = &second;
  int sum = 0;
  for (struct node *n = first; n; n = n->next) { //~ use-after-free
    sum += n->value;
    if (n == first)
      free(n);
  }
  return sum;
}
