// Negative entries are removed from a list; removing goes on from the freed one.
//@ trigger: entry=i8:3 entry=i8:-1 entry=i8:5
//@ benign: entry=i8:3 entry=i8:1 entry=i8:5
#include <stdlib.h>
#include <umbra.h>

struct node {
  signed char value;
  struct node *next;
};

int main(void) {
  struct node *head = NULL;
  for (int i = 0; i < 3; i++) {
    struct node *node = malloc(sizeof *node);
    umbra_symbolic(&node->value, 1, "entry");
    node->next = head;
    head = node;
  }
  int sum = 0;
  struct node **link = &head;
  for (struct node *node = head; node;
       node = node->next) { //~ use-after-free
    if (node->value < 0) {
      *link = node->next;
      free(node);
    } else {
      sum += node->value;
      link = &node->next;
    }
  }
  return sum > 10;
}
