// A shortcut for leap years is compared with the rule; its second mask should be 15.
//@ trigger: year=i32:1900
//@ benign: year=i32:2000
#include <assert.h>
#include <klee/klee.h>

static int by_rule(int year) {
  return year % 400 == 0 || (year % 100 != 0 && year % 4 == 0);
}

static int shortcut(int year) {
  return (year & 3) == 0 && (year % 25 != 0 || (year & 3) == 0);
}

int main(void) {
  int year = klee_range(1890, 2012, "year");
  assert(by_rule(year) == shortcut(year)); //~ assertion-failure
  return 0;
}
