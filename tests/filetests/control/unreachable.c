static int sign(int n) {
  if (n > 0)
    return 1;
  if (n < 0)
    return -1;
  __builtin_unreachable(); //~ unreachable
}

int main(int argc, char **argv) {
  return sign(argc) + sign(argc - 1);
}
