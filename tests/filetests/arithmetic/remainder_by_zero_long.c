int main(int argc, char **argv) {
  long zero = argc - 1;
  return (int)(100l % zero); //~ division-by-zero
}
