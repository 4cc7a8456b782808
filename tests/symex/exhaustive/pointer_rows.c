// Rows of a matrix behind pointers, in another order for each input; strings of their own lengths.
//@ domain: x=2
#include <klee/klee.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  unsigned char x[2];
  klee_make_symbolic(x, sizeof x, "x");
  int matrix[3][4];
  int(*rows[3])[4];
  for (int i = 0; i < 3; i++) {
    rows[i] = &matrix[(i + x[0]) % 3];
    for (int k = 0; k < 4; k++) matrix[i][k] = 4 * i + k;
  }
  (*rows[x[1] & 1])[x[1] >> 6] = 40;
  const char *words[] = {"", "a", "bc", "def"};
  const char *word = words[x[0] >> 6];
  size_t length = strlen(word);
  int sum = 0;
  for (int k = 0; k < 4; k++) sum += (*rows[2])[k];
  printf("%zu %s\n", length, word);
  return sum + matrix[0][0] + matrix[1][x[1] & 3];
}
