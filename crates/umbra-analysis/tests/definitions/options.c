// Options, as globals, flags, fields and elements of arrays.
void flag(void), number(void), field(void), element(void), flag_by_pointer(void), chosen(void);
int strcmp(const char *, const char *);
_Bool is_verbose;
int level;
struct settings { int mode; char kind; long limit; } settings;
int by_letter[26];
struct option { const char *name; int *flag; int value; };
int long_flag;
struct option options[] = {{"all", &long_flag, 7}, {0, 0, 0}};
static void set(int *where, int value) {
  *where = value; //~ flag_by_pointer unknown, field unknown
}
static int choose(const char *text) {
  if (!strcmp(text, "x"))
    return 1; //~ chosen no
  if (!strcmp(text, "y"))
    return 2; //~ chosen yes
  return 0; //~ chosen no
}
static void parse(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    switch (argv[i][1]) {
    case 'v':
      is_verbose = 1; //~ flag yes
      break;
    case 'q':
      is_verbose = 0; //~ flag no
      break;
    case 'l':
      level = argv[i][2] - '0'; //~ number unknown
      break;
    case 'm':
      level = 9; //~ number yes
      break;
    case 'n':
      level = 2; //~ number no
      break;
    case 's':
      settings.mode = 3; //~ field yes
      settings.kind = 3;
      settings.limit = 3;
      break;
    case 'z':
      settings.mode = 4; //~ field no
      break;
    case 'e':
      by_letter[4] = 1; //~ element yes
      break;
    case 'f':
      by_letter[5] = 1;
      break;
    default:
      set(options[0].flag, options[0].value);
      set(&settings.mode, 0);
    }
  }
}
int main(int argc, char **argv) {
  parse(argc, argv);
  if (is_verbose)
    flag();
  if (level > 5)
    number();
  if (by_letter['e' - 'a'] == 1)
    element();
  if (long_flag == 7)
    flag_by_pointer();
  switch (choose(argv[0])) {
  case 2:
    chosen();
  }
  return 0;
}
int other(void) {
  if (settings.mode == 3)
    field();
  return 0;
}
