#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int main(void) {
  const char *texts[] = {"1",  "-0.5e3", "0x1.8p4", "1e400", "1e-400", "inf", "nan",
                         "1.", ".5x",    "x",       "",      "0x",     "1e+", "123456789012345678901234567890"};
  for (int i = 0; i < 14; i++) {
    char *end;
    errno = 0;
    double d = strtod(texts[i], &end);
    printf("%s: %a %d %d\n", texts[i], d, (int)(end - texts[i]), errno);
    printf("%.9g %.20Lg\n", strtof(texts[i], 0), strtold(texts[i], 0));
  }
  return 0;
}
