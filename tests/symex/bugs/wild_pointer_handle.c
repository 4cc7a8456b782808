// Handles are either small numbers or addresses, told apart by the wrong bit.
//@ trigger: handle=u32:1073741832
//@ benign: handle=u32:3
#include <stdint.h>
#include <umbra.h>

static int table[4] = {1, 2, 3, 4};

int main(void) {
  uint32_t handle;
  umbra_symbolic(&handle, sizeof handle, "handle");
  if (handle < 4) return table[handle];
  if (handle >> 28 != 4) return 0;
  if ((handle & 0xfffffff) * 3 != 24) return 0;
  int *place = (int *)((uintptr_t)handle << 16);
  return *place; //~ wild-pointer
}
