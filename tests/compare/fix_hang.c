// class: fix
// differs: end
int main(void) {
#ifdef OLD
  for (volatile int i = 0;;) i++;
#endif
  return 0;
}
