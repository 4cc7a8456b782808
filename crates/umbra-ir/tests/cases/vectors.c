// Vectors are their lanes. Those of single bits are values only.
typedef int four __attribute__((vector_size(16)));
typedef short eight __attribute__((vector_size(16)));
four global = {1, 2, 3, 4};
four add(four a, four b) { return a + b; }
int lane(four v, int n) {
  v[n] = 7;
  return v[1] + v[n & 1];
}
four narrow(four a) { return (four)((eight)a * 2) < a; }
_Complex float complex_sum(_Complex float a) { return a; }
