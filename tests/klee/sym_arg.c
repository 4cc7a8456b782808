// One argument of at most two bytes: empty, or with a first character that is x or not.
//@ args: --sym-arg 2
//@ paths: 3
int main(int argc, char **argv) {
  if (!argv[1][0]) return 0;
  if (argv[1][0] == 'x') return 1;
  return 2;
}
