// The text is laid out in columns; zero of them were refused, a negative number that makes zero was not.
//@ sym: args=1x4
//@ trigger: arg="-c-1"
//@ benign: arg="-c3"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv) {
  int option, columns = 1;
  while ((option = getopt(argc, argv, "c:")) != -1) {
    if (option != 'c') return 1;
    columns = atoi(optarg);
    if (columns == 0) return 2;
  }
  int width = 80 / (columns + 1); //~ division-by-zero
  printf("%d\n", width);
  return 0;
}
