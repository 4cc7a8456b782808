static int add(int a, int b) {
  return a + b;
}

int main(void) {
  int (*function)(int, int) = (int (*)(int, int))((char *)add + 1);
  return function(1, 2); //~ bad-function-pointer
}
