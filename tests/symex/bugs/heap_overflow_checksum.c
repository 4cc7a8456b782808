// A packet whose checksum is right is trusted with its own length.
//@ sym: stdin=6
//@ trigger: stdin="PK\x09\x41\x42\x5a"
//@ benign: stdin="PK\x03\x41\x42\x50"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(void) {
  unsigned char packet[6];
  if (read(0, packet, sizeof packet) != sizeof packet) return 1;
  if (packet[0] != 'P' || packet[1] != 'K') return 2;
  unsigned char length = packet[2];
  if (length > 15) return 3;
  unsigned char sum = length ^ packet[3] ^ packet[4] ^ 0x50;
  if (sum != packet[5]) return 4;
  unsigned char *payload = malloc(8);
  for (int i = 0; i < length; i++)
    payload[i] = packet[3 + (i & 1)]; //~ out-of-bounds-write
  int result = payload[0];
  free(payload);
  return result & 1;
}
