// Header and body lengths are added before they are compared with the limit.
//@ trigger: header=u8:250 body=u8:10
//@ benign: header=u8:20 body=u8:10
#include <stdint.h>
#include <stdlib.h>
#include <umbra.h>

int main(void) {
  uint8_t header, body;
  umbra_symbolic(&header, sizeof header, "header");
  umbra_symbolic(&body, sizeof body, "body");
  char *message = calloc(32, 1);
  if ((uint8_t)(header + body) > 32) return 1;
  if (body != 10) return 2;
  message[header] = 'h'; //~ out-of-bounds-write
  int result = message[0];
  free(message);
  return result == 'h';
}
