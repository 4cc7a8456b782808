int main(int argc, char **argv) {
  unsigned zero = (unsigned)argc - 1;
  return (int)(100u / zero); //~ division-by-zero
}
