// A struct with an array and a length that nothing binds to it. How large the object behind the
// pointer is nobody knows, so the path is cut where it leaves what was made of it; no error.
//@ function: trace
//@ benign:
struct matrix {
  unsigned char size;
  int cells[9];
};

int trace(const struct matrix *matrix) {
  if (!matrix || matrix->size > 4) return 0;
  int sum = 0;
  for (int i = 0; i < matrix->size; i++) {
    int at = i * (matrix->size + 1);
    sum ^= matrix->cells[at];
  }
  return sum;
}

int main(int argc, char **argv) {
  struct matrix matrix = {argc > 1 ? 4 : 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}};
  return trace(&matrix) == 77;
}
