//@ cc: -std=c89
#include <stdio.h>

int add(a, b, c)
int a;
long b;
double c;
{
  return a + (int)b + (int)c;
}

int later();

int main() {
  printf("%d\n", add(1, 2L, 3.5));
  return later(1, "x");
}

int later(number, text)
int number;
char *text;
{
  return printf("%d %s\n", number, text) != 4;
}
