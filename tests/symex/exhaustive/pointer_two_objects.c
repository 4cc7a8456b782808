// A pointer from a table may lead to two objects, inside or outside of each.
//@ domain: c=1 i=1
#include <klee/klee.h>
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
int main(void){
  unsigned char c; unsigned char i;
  klee_make_symbolic(&c,1,"c"); klee_make_symbolic(&i,1,"i");
  char *tab[2]; tab[0]=malloc(4); tab[1]=malloc(4);
  for(int k=0;k<4;k++){tab[0][k]=1;tab[1][k]=2;}
  if (i >= 16) return 0; // what is farther off is another object to AddressSanitizer
  char v = tab[c&1][i]; //~ out-of-bounds-read
  if (v==2) puts("two"); else puts("one");
  return 0;
}
