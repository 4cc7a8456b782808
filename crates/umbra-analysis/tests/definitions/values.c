// Arguments, block parameters, objects on the heap, copies of memory.
void argument(void), parameter(void), heap(void), copied(void), compared(void), masked(void);
typedef unsigned long size_t;
void *malloc(size_t);
void *memcpy(void *, const void *, size_t);
struct item { int kind; int size; struct item *next; };
struct item first;
static void use(int what) {
  if (what == 3)
    argument();
}
static struct item *make(int kind) {
  struct item *item = malloc(sizeof *item);
  item->kind = kind; //~ heap unknown
  item->size = 4;
  return item;
}
static void change(struct item *item) {
  item->kind = 6; //~ heap yes
}
int limit, count;
unsigned bits;
int main(int argc, char **argv) {
  int state = 0;
  if (argc > 2)
    state = 2; //~ parameter yes
  else if (argc > 1) //~ parameter no
    state = 1; //~ parameter no
  use(3); //~ argument yes
  use(4); //~ argument no
  use(argc); //~ argument unknown
  struct item *item = make(argc);
  change(item);
  if (item->kind == 6)
    heap();
  memcpy(&first, item, sizeof first); //~ copied unknown
  if (first.size == 5)
    copied();
  limit = 5; //~ compared unknown
  count = argc; //~ compared unknown
  if (count > limit)
    compared();
  bits = 6; //~ masked yes
  bits |= 8; //~ masked unknown
  bits = 9; //~ masked no
  if (bits & 2)
    masked();
  switch (state) {
  case 2:
    parameter();
  }
  return 0;
}
