// setjmp and longjmp are calls of functions like any others.
typedef long jmp_buf[32];
int setjmp(jmp_buf) __attribute__((returns_twice));
void longjmp(jmp_buf, int) __attribute__((noreturn));
static jmp_buf buffer;
int run(int x) {
  volatile int y = x;
  if (setjmp(buffer))
    return y;
  y = 5;
  longjmp(buffer, 1);
}
