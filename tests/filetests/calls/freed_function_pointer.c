#include <stdlib.h>

struct object {
  void (*method)(struct object *);
};

static void method(struct object *object) {
}

int main(void) {
  struct object *object = malloc(sizeof *object);
  object->method = method;
  object->method(object);
  free(object);
  object->method(object); //~ use-after-free
  return 0;
}
