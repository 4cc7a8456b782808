// Objects from an allocator's wrapper are told apart by the calls of the wrapper.
//= run_first: one
//= run_second: two
//= run_grown: three
//= run_copied: one
typedef unsigned long size_t;
void *malloc(size_t);
void *realloc(void *, size_t);
void *memcpy(void *, const void *, size_t);
void abort(void);
struct job { long id; void (*run)(void); };
static void one(void) {}
static void two(void) {}
static void three(void) {}
static void *xmalloc(size_t n) {
  void *p = malloc(n);
  if (!p)
    abort();
  return p;
}
static void *xrealloc(void *old, size_t n) {
  void *p = realloc(old, n);
  if (!p)
    abort();
  return p;
}
static void run_first(struct job *j) { j->run(); }
static void run_second(struct job *j) { j->run(); }
static void run_grown(struct job *j) { j->run(); }
static void run_copied(struct job *j) { j->run(); }
int main(int argc, char **argv) {
  struct job *a = xmalloc(sizeof *a), *b = xmalloc(sizeof *b);
  a->run = one;
  b->run = two;
  struct job *list = 0;
  for (int i = 0; i < argc; i++) {
    list = xrealloc(list, (i + 1) * sizeof *list);
    list[i].run = three;
  }
  struct job local;
  memcpy(&local, a, sizeof local);
  run_first(a);
  run_second(b);
  run_grown(list);
  run_copied(&local);
  return 0;
}
