int main(int argc, char **argv) {
  int table[argc - 1]; //~ vla-bound
  return sizeof table > 100;
}
