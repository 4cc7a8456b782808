static int ratio(int a, int b) {
  return a / b; //~ division-by-zero
}

int main(int argc, char **argv) {
  return ratio(10, 2) + ratio(10, argc - 1);
}
