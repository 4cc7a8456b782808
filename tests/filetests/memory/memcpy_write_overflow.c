#include <string.h>

struct packet {
  char header[4];
  char body[12];
};

int main(int argc, char **argv) {
  struct packet packet;
  const char text[] = "a text of some length";
  memcpy(packet.body, text, sizeof text); //~ out-of-bounds-write
  return packet.body[0];
}
