// Tables of structures, walked by index and by pointer.
//= by_index: on_add on_remove
//= by_pointer: on_add on_remove
//= second_field: late
struct command { const char *name; int (*run)(int); int (*after)(int); };
static int on_add(int x) { return x + 1; }
static int on_remove(int x) { return x - 1; }
static int late(int x) { return x * 2; }
int never(int x) { return x; }
int (*unused)(int) = never;
static struct command table[] = {{"add", on_add, late}, {"remove", on_remove, 0}, {0, 0, 0}};
int by_index(int i) { return table[i].run(i); }
int by_pointer(int x) {
  for (struct command *c = table; c->name; c++)
    if (c->name[0] == x)
      return c->run(x);
  return 0;
}
int second_field(int i) { return table[i].after(i); }
int main(int argc, char **argv) { return by_index(argc) + by_pointer(argc) + second_field(argc); }
