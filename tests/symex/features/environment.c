// A given environment decides how the input is read.
//@ env: MODE=hex
//@ sym: stdin=2
//@ trigger: stdin="fe"
//@ benign: stdin="12"
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  char text[3] = "";
  const char *mode = getenv("MODE");
  if (!mode || getenv("OTHER")) return 1;
  if (read(0, text, 2) != 2) return 2;
  long value = strtol(text, NULL, strcmp(mode, "hex") == 0 ? 16 : 10);
  assert(value != 254); //~ assertion-failure
  return 0;
}
