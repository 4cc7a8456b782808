// An error after the cleanup of a complete record cleans up again.
//@ trigger: ops="nee"
//@ benign: ops="nen"
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  char ops[3];
  klee_make_symbolic(ops, sizeof ops, "ops");
  char *record = NULL;
  int live = 0;
  for (int i = 0; i < 3; i++) {
    if (ops[i] == 'n') {
      if (live) return 1;
      record = malloc(16);
      live = 1;
    } else if (ops[i] == 'e' && record) {
      free(record); //~ double-free
      live = 0;
    }
  }
  if (live) free(record);
  return 0;
}
