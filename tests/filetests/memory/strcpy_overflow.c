// The culprit is in libc; the report's place is the innermost of the program.
#include <string.h>

int main(void) {
  char name[8];
  strcpy(name, "too long a name"); //~ out-of-bounds-write
  return name[0];
}
