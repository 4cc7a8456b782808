int main(int argc, char **argv) {
  volatile int x = -2147483647 - argc;
  return -x > 0; //~ signed-integer-overflow
}
