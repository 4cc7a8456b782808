int main(int argc, char **argv) {
  int x = 2147483647;
  x += argc; //~ signed-integer-overflow
  return x == 0;
}
