// Vectors end the path that meets them; the rest of the program is unharmed.
typedef int four __attribute__((vector_size(16)));
four global = {1, 2, 3, 4};
four add(four a, four b) { return a + b; }
int maybe(int x) {
  if (x > 3) {
    four v = {x, x, x, x};
    return v[1];
  }
  return x;
}
_Complex float complex_sum(_Complex float a) { return a; }
