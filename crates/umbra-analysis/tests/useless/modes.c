// A mode set by options, once: the other options lead nowhere.
void target(void), useful(void), useless(void);
int mode;
static const int debug = 0;
int main(int argc, char **argv) {
  mode = argc;
  switch (argv[1][0]) {
  case 'a':
    useful();
    mode = 3;
    break;
  case 'b':
    useless();
    mode = 4;
    break;
  case 'c':
    useful();
    break;
  default:
    useless();
    mode = 0;
  }
  if (debug)
    useless();
  if (mode != 3) {
    useless();
    return 1;
  }
  useful();
  if (argc == 2)
    target();
  return 0;
}
