// Pairs of digits become bytes; an odd digit at the end reads its partner behind the text.
//@ sym: stdin=5
//@ trigger: stdin="0afe1"
//@ benign: stdin="0afe\n"
#include <ctype.h>
#include <stdio.h>
#include <unistd.h>

static int digit(char c) { return isdigit((unsigned char)c) ? c - '0' : (c | 32) - 'a' + 10; }

int main(void) {
  char text[5];
  ssize_t size = read(0, text, sizeof text);
  int sum = 0;
  for (int i = 0; i < size && isxdigit((unsigned char)text[i]); i += 2) {
    int high = digit(text[i]);
    int low = digit(text[i + 1]); //~ out-of-bounds-read
    sum ^= high << 4 | low;
  }
  printf("%02x\n", sum & 255);
  return 0;
}
