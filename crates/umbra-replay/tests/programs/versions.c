// Two versions in one executable, without umbra.h: the number in the section says which it is.
#include <stdio.h>
#include <stdlib.h>

__attribute__((used, section("umbra_version"))) static const volatile int version = VERSION;

int main(void) {
  const char *objects = getenv("KTEST_FILE");
  char magic[6] = "";
  FILE *file = objects ? fopen(objects, "r") : NULL;
  if (file) fread(magic, 1, 5, file);
  printf("version %d, objects %s\n", version, file ? magic : "none");
  return 0;
}
