// Fields, parts of arrays and heap objects are made symbolic one by one.
//@ trigger: age=u8:7 tail="xyz" heap=u32:3735928559
//@ benign: age=u8:7 tail="xyz" heap=u32:1
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <umbra.h>

struct person {
  char name[8];
  unsigned char age;
  int fixed;
};

int main(void) {
  struct person person = {"old", 1, 42};
  umbra_symbolic(&person.age, 1, "age");
  umbra_symbolic(person.name + 4, 3, "tail");
  unsigned *heap = malloc(2 * sizeof *heap);
  heap[0] = 5;
  umbra_symbolic(&heap[1], sizeof heap[1], "heap");
  assert(strcmp(person.name, "old") == 0 && person.fixed == 42 && heap[0] == 5);
  if (person.age == 7 && memcmp(person.name + 4, "xyz", 3) == 0)
    umbra_assert(heap[1] != 0xdeadbeef); //~ assertion-failure
  free(heap);
  return 0;
}
