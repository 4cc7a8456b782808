//@ args: hello
int main(int argc, char **argv) {
  int n = 0;
  for (int i = 0; i < 10; i++)
    n += argv[1][i]; //~ out-of-bounds-read
  return n;
}
