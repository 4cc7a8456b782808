// A pointer from a table may lead to four objects, inside or outside of each.
//@ domain: c=1 i=1
#include <klee/klee.h>
#include <stdio.h>
#include <stdlib.h>
int main(void){
  unsigned char c; unsigned char i;
  klee_make_symbolic(&c,1,"c"); klee_make_symbolic(&i,1,"i");
  if (i>=8) return 0;
  char *tab[4]; for(int t=0;t<4;t++){ tab[t]=malloc(4+t); for(int k=0;k<4+t;k++) tab[t][k]=t; }
  char v = tab[c&3][i]; //~ out-of-bounds-read
  printf("%d\n", v);
  return 0;
}
