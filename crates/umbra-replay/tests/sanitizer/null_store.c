int main(int argc, char **argv) {
  int *volatile p = 0;
  *p = argc; //~ null
  return 0;
}
