static int twice(int n) {
  return 2 * n;
}

int main(void) {
  int (*function)(double) = (int (*)(double))twice;
  return function(1.5); //~ bad-function-pointer
}
