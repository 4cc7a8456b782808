//@ env: TZ=EST5EDT,M3.2.0,M11.1.0
#include <stdio.h>
#include <time.h>

int main(void) {
  time_t times[] = {0, 1000000000, 1700000000, -1, 1720000000};
  char text[64];
  for (int i = 0; i < 5; i++) {
    struct tm *local = localtime(&times[i]);
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %Z %j %a %U", local);
    printf("%s %ld\n", text, (long)mktime(local));
    printf("%s", asctime(gmtime(&times[i])));
  }
  struct tm tm = {.tm_year = 124, .tm_mon = 13, .tm_mday = 31, .tm_isdst = -1};
  mktime(&tm);
  printf("%d %d %d\n", tm.tm_year, tm.tm_mon, tm.tm_mday);
  printf("%d\n", time(0) > 1500000000);
  return 0;
}
