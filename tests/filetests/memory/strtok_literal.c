#include <string.h>

int main(void) {
  char *word = strtok("a b", " "); //~ write-to-constant
  return word[0];
}
