#include <stdio.h>

int main(int argc, char **argv) {
  const char *text = "none";
  if (argc > 0) {
    char buffer[16];
    snprintf(buffer, sizeof buffer, "%d", argc);
    text = buffer;
  }
  puts(text); //~ use-after-scope
  return 0;
}
