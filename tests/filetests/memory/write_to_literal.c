int main(void) {
  char *text = "hello";
  text[0] = 'H'; //~ write-to-constant
  return 0;
}
