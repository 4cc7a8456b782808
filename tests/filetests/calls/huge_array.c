int main(int argc, char **argv) {
  long size = 100000000L * argc;
  int values[size]; //~ stack-overflow
  values[0] = 1;
  return 0;
}
