// What a later round of a loop can undo is not useless.
void target(void), useful(void), useless(void);
struct state { int seen; int depth; } state;
int main(int argc, char **argv) {
  struct state *s = &state;
  for (int i = 1; i < argc; i++) {
    if (argv[i][0] == 'x') {
      useful();
      s->seen = 1;
    } else if (argv[i][0] == 'y') {
      useful();
      s->seen = 0;
    } else if (argv[i][0] == 'z') {
      useless();
      s->depth = 7;
    }
  }
  if (state.seen == 0) {
    useless();
    return 1;
  }
  if (state.depth == 7)
    useless();
  else
    target();
  return 0;
}
