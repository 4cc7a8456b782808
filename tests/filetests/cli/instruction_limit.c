//@ exit: 4
//@ flags: --max-instructions 100000
//@ native: different it does not end
int main(void) {
  volatile int n = 0;
  for (;;)
    n++;
}
