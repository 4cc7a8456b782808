int main(int argc, char **argv) {
  unsigned __int128 zero = (unsigned __int128)argc - 1;
  return (int)(1000 / zero); //~ division-by-zero
}
