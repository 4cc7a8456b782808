#include <stdio.h>

static const char *name(long n) {
  switch (n) {
  case -1: return "minus one";
  case 0: return "zero";
  case 1 ... 9: return "digit";
  case 1000000007: return "prime";
  case 0x7fffffffffffffff: return "largest";
  default: return "other";
  }
}

int main(int argc, char **argv) {
  long values[] = {-2, -1, 0, 1, 5, 9, 10, 1000000007, 0x7fffffffffffffff};
  for (int i = 0; i < 9; i++)
    puts(name(values[i]));
  int n = 0, count = 11;
  switch (count % 4) { // Duff's device
    do {
    case 0: n++;
    case 3: n++;
    case 2: n++;
    case 1: n++;
    } while ((count -= 4) > 0);
  }
  printf("%d\n", n);
  return 0;
}
