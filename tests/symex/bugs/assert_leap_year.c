// Days since 1980, counted by a loop that forgets the 31st of December of a leap year.
//@ trigger: days=u16:366
//@ benign: days=u16:365
#include <umbra.h>

static int is_leap(int year) {
  return (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
}

int main(void) {
  unsigned short days;
  umbra_symbolic(&days, sizeof days, "days");
  umbra_assume(days >= 1 && days <= 1500);
  int year = 1980, rest = days;
  while (rest > 365) {
    int before = rest;
    if (is_leap(year)) {
      if (rest > 366) {
        rest -= 366;
        year++;
      }
    } else {
      rest -= 365;
      year++;
    }
    umbra_assert(rest < before); //~ assertion-failure
  }
  return year == 1983;
}
