//@ cc: -fsanitize=signed-integer-overflow
long area(long width, long height) {
  return width * height; //~ integer-overflow
}

int main(int argc, char **argv) {
  return area(1L << 40, argc + 3) == area(1L << 62, argc + 3);
}
