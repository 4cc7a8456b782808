// No error at all: every path can be left.
//@ function: parity
//@ benign:
int parity(unsigned short bits, int odd) {
  int result = odd ? 1 : 0;
  while (bits) {
    bits &= (unsigned short)(bits - 1);
    result ^= 1;
  }
  return result;
}

int main(void) { return parity(7, 0) != 1; }
