// Short values live in the struct itself; the threshold differs between storing and releasing.
//@ trigger: length=u8:8
//@ benign: length=u8:9
#include <klee/klee.h>
#include <stdlib.h>
#include <string.h>

struct value {
  unsigned char length;
  char *data;
  char small[8];
};

static void store(struct value *value, unsigned char length) {
  value->length = length;
  value->data = length <= 8 ? value->small : malloc(length);
  memset(value->data, 'x', length);
}

static void release(struct value *value) {
  if (value->length >= 8) free(value->data); //~ invalid-free
}

int main(void) {
  unsigned char length;
  klee_make_symbolic(&length, 1, "length");
  struct value value;
  store(&value, length);
  release(&value);
  return 0;
}
