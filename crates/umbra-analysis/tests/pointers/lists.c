// Lists, arrays within structures, integers that hold pointers, globals set at run time.
//= run_list: first second
//= run_array: in_array
//= run_beside: beside
//= run_integer: hidden
//= run_global: installed
typedef unsigned long size_t;
void *malloc(size_t);
typedef void (*action)(void);
static void first(void) {}
static void second(void) {}
static void in_array(void) {}
static void beside(void) {}
static void hidden(void) {}
static void installed(void) {}
static void never(void) {}
struct node { struct node *next; action run; };
static struct node *head;
static void add(action run) {
  struct node *n = malloc(sizeof *n);
  n->next = head;
  n->run = run;
  head = n;
}
static void run_list(void) {
  for (struct node *n = head; n; n = n->next)
    n->run();
}
static action actions[3];
static void run_array(int i) { actions[i](); }
static struct { int size; char name[20]; action run; } record;
static void run_beside(void) { record.run(); }
static size_t word;
static void run_integer(void) { ((action)word)(); }
static action current;
static void set(action *where, action what) { *where = what; }
static void run_global(void) { current(); }
int main(int argc, char **argv) {
  add(first);
  add(second);
  actions[argc] = in_array;
  for (int i = 0; i < 19; i++)
    record.name[i] = argv[0][i];
  record.run = beside;
  word = (size_t)hidden;
  set(&current, installed);
  run_list();
  run_array(argc);
  run_beside();
  run_integer();
  run_global();
  return 0;
}
