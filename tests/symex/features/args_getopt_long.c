// Long options, with and without a value.
//@ sym: args=2x5
//@ trigger: arg="--num" arg="0"
//@ benign: arg="--num" arg="5"
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  static const struct option options[] = {
      {"num", required_argument, 0, 'n'},
      {"all", no_argument, 0, 'a'},
      {0},
  };
  int option, number = 1, all = 0;
  while ((option = getopt_long(argc, argv, "n:a", options, NULL)) != -1) {
    if (option == 'n') number = atoi(optarg);
    else if (option == 'a') all = 1;
    else return 1;
  }
  printf("%d\n", all ? number : 100 / number); //~ division-by-zero
  return 0;
}
