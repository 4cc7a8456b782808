// One byte through all conversions.
//@ domain: x=1
#include <stdio.h>
#include <umbra.h>

int main(void) {
  unsigned char x;
  umbra_symbolic(&x, 1, "x");
  signed char s = (signed char)x;
  short h = s;
  unsigned short uh = (unsigned short)s;
  long l = h;
  unsigned u = (unsigned)l;
  unsigned long back = (unsigned char)l;
  int status = 0;
  if (uh > 0xff00) status += 1;
  if (l < -100) status += 2;
  if (u == 0xffffff80u) status += 4;
  if (back != x) status += 8;
  if ((int)u == s && h == s) status += 16;
  printf("%c\n", s < 0 ? '-' : '+');
  return status;
}
