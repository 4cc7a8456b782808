// Each round of the loop has a variable of its own.
//@ flags: --check-uninitialised
int main(void) {
  int sum = 0;
  for (int i = 0; i < 2; i++) {
    int values[2];
    if (i == 0)
      values[0] = 1;
    sum += *(volatile int *)values; //~ uninitialised-read
  }
  return sum;
}
