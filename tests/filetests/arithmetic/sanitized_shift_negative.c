//@ cc: -fsanitize=shift
int main(int argc, char **argv) {
  int negative = -argc;
  return negative << 3; //~ shift-too-far
}
