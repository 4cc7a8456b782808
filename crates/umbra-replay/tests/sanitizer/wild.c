int main(void) {
  volatile char *volatile p = (char *)0x100000;
  return *p; //~ SEGV
}
