int main(int argc, char **argv) {
  int table[4] = {1, 2, 3, 4};
  return table[argc + 3]; //~ bounds
}
