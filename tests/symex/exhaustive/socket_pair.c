//@ sym: stdin=2
// Messages whose lengths and bytes come from the input.
#include <sys/socket.h>
#include <unistd.h>

int main(void) {
  unsigned char b[2], got[8] = { 0 };
  if (read(0, b, 2) != 2) return 99;
  int s[2];
  if (socketpair(AF_UNIX, (b[0] & 4) ? SOCK_STREAM : SOCK_DGRAM, 0, s)) return 98;
  if (write(s[0], b, 1 + (b[0] & 1)) < 0) return 97;
  if (write(s[0], b + 1, 1) != 1) return 96;
  long n = read(s[1], got, 8);
  if (got[n - 1] > 100) return 10 + (int)n;
  return (int)n;
}
