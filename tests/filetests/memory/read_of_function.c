int main(void) {
  char *p = (char *)main;
  return p[2]; //~ bad-function-pointer
}
