// A switch that becomes a table.
//@ domain: month=1 leap=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  unsigned char month, leap;
  umbra_symbolic(&month, 1, "month");
  umbra_symbolic(&leap, 1, "leap");
  int days;
  switch (month) {
  case 1: case 3: case 5: case 7: case 8: case 10: case 12: days = 31; break;
  case 4: case 6: case 9: case 11: days = 30; break;
  case 2: days = leap & 1 ? 29 : 28; break;
  default: return 1;
  }
  printf("%d\n", days);
  return 0;
}
