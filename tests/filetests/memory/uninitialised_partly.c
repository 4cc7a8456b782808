// Two of four bytes were written.
//@ flags: --check-uninitialised
int main(void) {
  short halves[2];
  halves[0] = 1;
  int *whole = (int *)halves;
  return *whole; //~ uninitialised-read
}
