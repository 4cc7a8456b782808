// Arguments, results, calls that do not return, and callees that do not touch the tested variable.
void target(void), useful(void), useless(void), finish(void);
int total, level;
static void fail(void) {
  finish();
  for (;;)
    ;
}
static void count(int n) { total += n; }
static void visit(int kind, int *flags) {
  if (kind == 1) {
    useless();
    return;
  }
  if (flags[1] & 4) {
    useful();
    if (level > 2)
      target();
  }
}
static void second(int kind, int *flags) {
  if (kind == 2)
    visit(kind, flags);
}
int main(int argc, char **argv) {
  int flags[2] = {0, argc};
  if (argc > 8) {
    useless();
    fail();
  }
  if (argc < 2) {
    useless();
    level = 1;
  } else {
    useful();
    level = argc;
  }
  count(argc);
  second(2, flags);
  return 0;
}
