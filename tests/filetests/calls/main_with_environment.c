//@ env: NAME=value
//@ env: EMPTY=
//@ args: one '' 'two words' -x
#include <stdio.h>
#include <stdlib.h>

extern char **environ;

int main(int argc, char **argv, char **envp) {
  for (int i = 0; i <= argc; i++)
    printf("%d [%s]\n", i, argv[i] ? argv[i] : "(null)");
  printf("%s [%s] %d %d\n", getenv("NAME"), getenv("EMPTY"), getenv("OTHER") == 0, envp == environ);
  setenv("OTHER", "x", 1);
  unsetenv("NAME");
  putenv("EMPTY=no longer");
  printf("%s %d %s\n", getenv("OTHER"), getenv("NAME") == 0, getenv("EMPTY"));
  return argc != 5;
}
