static int *local(void) {
  int value[2] = {1, 2};
  int *p = value;
  return p;
}

int main(void) {
  int *p = local();
  return p[1]; //~ use-after-return
}
