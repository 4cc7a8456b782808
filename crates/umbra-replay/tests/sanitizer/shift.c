int main(int argc, char **argv) {
  return 1 << (argc + 31) ? 0 : 1; //~ shift-exponent
}
