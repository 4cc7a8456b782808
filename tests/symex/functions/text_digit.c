// A text: the digit behind a sign.
//@ function: digit
//@ trigger: arg="x"
//@ benign:
static const char names[10][6] = {
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
};

int digit(const char *text) {
  if (!text || text[0] != '+') return -1;
  int value = text[1] - '0';
  if (value > 10 || value < 0) return -1;
  return names[value][0]; //~ out-of-bounds-read
}

int main(int argc, char **argv) {
  return argc > 1 ? digit("+:") : digit("+9") != 'n';
}
