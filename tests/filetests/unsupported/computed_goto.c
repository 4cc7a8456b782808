int main(int argc, char **argv) {
  static void *table[] = {&&one, &&two};
  goto *table[argc & 1]; //~ unsupported
one:
  return 1;
two:
  return 2;
}
