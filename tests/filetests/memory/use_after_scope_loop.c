int main(int argc, char **argv) {
  char *last = 0;
  for (int i = 0; i < 3; i++) {
    char digits[4] = {0};
    if (last)
      last[0] = 1;
    if (i < 1)
      digits[0] = '0';
    else
      last = digits;
  }
  *last = 'x'; //~ use-after-scope
  return 0;
}
