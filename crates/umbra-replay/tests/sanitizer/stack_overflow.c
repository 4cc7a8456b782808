int main(int argc, char **argv) {
  char b[4] = {0};
  char *volatile p = b;
  p[argc + 3] = 1; //~ stack-buffer-overflow
  return b[0];
}
