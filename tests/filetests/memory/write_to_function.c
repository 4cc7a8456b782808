int main(void) {
  char *p = (char *)main;
  *p = 0; //~ bad-function-pointer
  return 0;
}
