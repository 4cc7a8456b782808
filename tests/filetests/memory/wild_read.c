int main(void) {
  int *p = (int *)0x123456789abcdef0;
  return *p; //~ wild-pointer
}
