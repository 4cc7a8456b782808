int main(int argc, char **argv) {
  int *p = 0;
  p[argc] = 1; //~ null-dereference
  return 0;
}
