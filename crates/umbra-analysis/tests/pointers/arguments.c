// Comparators, callbacks with context, returned pointers, variable arguments, by value.
//= sort: by_name by_size
//= each: visit
//= choose_and_call: fast slow
//= variable: handler
//= copied: hook
typedef unsigned long size_t;
typedef int (*compare)(const void *, const void *);
static int by_name(const void *a, const void *b) { return *(char *)a - *(char *)b; }
static int by_size(const void *a, const void *b) { return *(int *)a - *(int *)b; }
static void sort(void *base, size_t n, size_t size, compare less) {
  char *p = base;
  for (size_t i = 0; i + 1 < n; i++)
    if (less(p + i * size, p + (i + 1) * size) > 0)
      p[i * size] ^= 1;
}
static void visit(int *cell, void *context) { *(int *)context += *cell; }
struct walker { void (*visit)(int *, void *); void *context; };
static void each(struct walker *w, int *cells) { w->visit(cells, w->context); }
static int fast(void) { return 1; }
static int slow(void) { return 2; }
static int (*choose(int x))(void) { return x ? fast : slow; }
static int choose_and_call(int x) { return choose(x)(); }
static int handler(void) { return 3; }
static int variable(int n, ...) {
  __builtin_va_list list;
  __builtin_va_start(list, n);
  int (*f)(void) = __builtin_va_arg(list, int (*)(void));
  __builtin_va_end(list);
  return f();
}
static int hook(void) { return 4; }
struct hooks { long a, b, c; int (*f)(void); };
static int copied(struct hooks h) { return h.f(); }
int main(int argc, char **argv) {
  int cells[4] = {1}, sum = 0;
  sort(cells, 4, sizeof *cells, by_size);
  sort(argv[0], 4, 1, by_name);
  struct walker w = {visit, &sum};
  each(&w, cells);
  struct hooks h = {1, 2, 3, hook};
  return choose_and_call(argc) + variable(1, handler) + copied(h);
}
