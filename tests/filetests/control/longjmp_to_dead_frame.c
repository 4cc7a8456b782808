#include <setjmp.h>

static jmp_buf buffer;

static int prepare(void) {
  return setjmp(buffer);
}

int main(void) {
  if (prepare() == 0)
    longjmp(buffer, 1); //~ bad-longjmp
  return 0;
}
