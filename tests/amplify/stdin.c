// A length field in standard input.
//@ stdin: \x03abc
//@ finds: out-of-bounds-write distance 0 changed 1
#include <string.h>
#include <unistd.h>

int main(void) {
  unsigned char in[64], out[16] = {0};
  ssize_t count = read(0, in, sizeof in);
  if (count < 4)
    return 1;
  for (int i = 0; i < 3; i++)
    out[in[0] + i] = in[1 + i]; //~ finding
  return out[0];
}
