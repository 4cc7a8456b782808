//@ cc: -fsanitize=undefined
unsigned bit(int number) {
  return 1u << number; //~ shift-too-far
}

int main(int argc, char **argv) {
  return bit(31) == bit(32 * argc);
}
