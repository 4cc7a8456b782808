// A negative length passes the check and is large as an unsigned number.
//@ sym: stdin=4
//@ trigger: stdin="L\xe0ab"
//@ benign: stdin="L\x02ab"
#include <string.h>
#include <unistd.h>

int main(void) {
  signed char input[4];
  char body[16], copy[16];
  memset(body, 'b', sizeof body);
  if (read(0, input, 4) != 4 || input[0] != 'L') return 1;
  signed char length = input[1];
  if (length > 16) return 2;
  if (input[2] != 'a' || input[3] != 'b') return 3;
  unsigned char count = (unsigned char)length;
  for (unsigned i = 0; i < count; i++)
    copy[i] = body[i]; //~ out-of-bounds-read
  return length > 0 && copy[0] == 'x';
}
