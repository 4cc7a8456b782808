// Objects on the stack whose size is known at run time.
void use(char *, int *);
int vla(int n) {
  int array[n];
  use(__builtin_alloca(n + 1), array);
  return array[n - 1];
}
