// The jump leaves the function whose variable the pointer is to.
#include <setjmp.h>

static jmp_buf buffer;
static int *kept;

static void jump(void) {
  int local[2] = {1, 2};
  kept = local;
  longjmp(buffer, 1);
}

int main(void) {
  if (!setjmp(buffer))
    jump();
  return kept[1]; //~ use-after-return
}
