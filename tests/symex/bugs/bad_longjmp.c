// The place to jump to belongs to a function that has returned.
//@ trigger: kind=u8:7 code=u8:200
//@ benign: kind=u8:7 code=u8:100
#include <setjmp.h>
#include <umbra.h>

static jmp_buf place;

static int prepare(int kind) {
  if (setjmp(place)) return 1;
  return kind == 7 ? 0 : 2;
}

static int start(int kind) {
  volatile char used[64];
  used[0] = (char)prepare(kind);
  return used[0];
}

int main(void) {
  unsigned char kind, code;
  umbra_symbolic(&kind, 1, "kind");
  umbra_symbolic(&code, 1, "code");
  if (start(kind)) return 1;
  if (code > 150) longjmp(place, 1); //~ bad-longjmp
  return 0;
}
