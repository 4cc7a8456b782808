// A text is freed at the place to which leading zeros were skipped.
//@ sym: args=1x4
//@ trigger: arg="007"
//@ benign: arg="700"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  char *text = strdup(argv[1]);
  if (strspn(text, "0123456789") != strlen(text) || strlen(text) < 3) {
    free(text);
    return 2;
  }
  while (text[0] == '0' && text[1]) text++;
  puts(text);
  free(text); //~ invalid-free
  return 0;
}
