// A tagged union is called although it holds a number.
//@ trigger: tag=u8:6 number=u16:4660
//@ benign: tag=u8:4 number=u16:4660
#include <umbra.h>

struct slot {
  int tag;
  union {
    int (*function)(void);
    unsigned long number;
  } as;
};

static int one(void) { return 1; }

int main(void) {
  unsigned char tag;
  unsigned short number;
  umbra_symbolic(&tag, 1, "tag");
  umbra_symbolic(&number, sizeof number, "number");
  struct slot slot = {tag & 3, {one}};
  if (slot.tag == 2) slot.as.number = number;
  if (slot.tag != 0 && number != 0x1234) return 1;
  if (tag < 4) return 2;
  return slot.as.function(); //~ bad-function-pointer
}
