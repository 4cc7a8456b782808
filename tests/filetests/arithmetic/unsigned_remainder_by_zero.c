int main(int argc, char **argv) {
  unsigned char bucket = (unsigned char)(argc * 256);
  return 7 % bucket; //~ division-by-zero
}
