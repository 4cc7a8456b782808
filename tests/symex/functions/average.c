// Two scalars and a division.
//@ function: average
//@ trigger: arg="x"
//@ benign:
int average(int total, unsigned char count) {
  if (total < 0) return 0;
  return total / (count & 15); //~ division-by-zero
}

int main(int argc, char **argv) {
  return argc > 1 ? average(100, 16) : average(100, 17);
}
