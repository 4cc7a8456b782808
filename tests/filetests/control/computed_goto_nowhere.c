// A jump through an address that is no label's.
int main(int argc, char **argv) {
  (void)argv;
  void *label = argc > 5 ? &&one : (void *)0;
  goto *label; //~ unreachable
one:
  return 1;
}
