// A list of any shape: the second node is used without a look.
//@ function: second
//@ trigger: arg="x"
//@ benign:
#include <stddef.h>

struct node {
  int value;
  struct node *next;
};

int second(const struct node *list) {
  if (!list) return -1;
  return list->next->value; //~ null-dereference
}

int main(int argc, char **argv) {
  struct node last = {2, NULL}, first = {1, argc > 1 ? NULL : &last};
  return second(&first) != 2;
}
