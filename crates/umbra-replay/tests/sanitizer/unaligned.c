int main(void) {
  char bytes[16] = {0};
  int *volatile p = (int *)(bytes + 1);
  return *p; //~ alignment
}
