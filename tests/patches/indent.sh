# Small programs, in several styles.
cat >a.c <<'S'
#include <stdio.h>
int main(int argc,char**argv){int i;for(i=0;i<argc;i++){if(i>1)printf("%s\n",argv[i]);else puts("first");}
/* a comment that is there */
return 0;}
S
cp a.c b.c
indent a.c -o a.out.c
indent -kr -st a.c
indent -gnu -l60 b.c
indent -linux -i4 -st b.c
indent --version
